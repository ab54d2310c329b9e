import { type Deleted, useRestoreUser } from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";

/** Who was deleted just now. They are in no list any more, so this is where it is taken back. */
export function BringBack({ deleted, onClose }: { deleted: Deleted; onClose: () => void }) {
  const restore = useRestoreUser();
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken px-4 py-3 text-sm">
      <p className="min-w-0 flex-1 basis-64">
        {deleted.name} is deleted. Within 14 days <code>chatd user restore {deleted.id}</code> brings them
        back.
      </p>
      <Button
        size="small"
        busy={restore.isPending}
        onClick={() => restore.mutate(deleted.id, { onSuccess: onClose })}
      >
        Bring back now
      </Button>
      <Button size="small" look="quiet" onClick={onClose}>
        Close
      </Button>
      {restore.isError && (
        <p role="alert" className="basis-full text-bad">
          {sentence(restore.error)}
        </p>
      )}
    </div>
  );
}
