import { type ChangedFile, usePlannedRestore, useRestore } from "@/api/chats/changes";
import { sentence } from "@/api/errors";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/overlay/Dialog";
import { toast } from "@/ui/overlay/Toast";
import { Asked } from "../Asked";
import { type ChangingTurn, inShort } from "./turns";

interface RestoreDialogProps {
  chatId: string;
  /** Before which the files are brought back; null: the last restore is taken back. */
  turn: ChangingTurn | null;
  /** Only this file. */
  path?: string;
  onClose: () => void;
}

const DEEDS: Readonly<Record<ChangedFile["deed"], string>> = {
  added: "comes back",
  changed: "is changed back",
  removed: "is removed",
};

/** Tells what a restore would do to which files before it does it. */
export function RestoreDialog({ chatId, turn, path, onClose }: RestoreDialogProps) {
  const wanted = { messageId: turn?.messageId ?? null, path: path ?? null };
  const planned = usePlannedRestore(chatId, wanted);
  const restore = useRestore(chatId);
  const what = path === undefined ? "files" : visible(path);
  const confirm = () =>
    restore.mutate(wanted, {
      onSuccess: ({ files, failed }) => {
        onClose();
        if (failed.length === 0) toast({ text: `${plural(files.length, "file")} restored.` });
        else
          toast({
            text: `${plural(failed.length, "file")} could not be restored: ${failed.map((each) => `${each.path} (${each.reason})`).join(", ")}`,
            bad: true,
          });
      },
    });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={turn ? `Restore ${what}?` : "Take the last restore back?"}
      description={
        turn
          ? `${path ? "It becomes as it was" : "Files become as they were"} before your message “${inShort(turn.words)}”. Messages stay, and you can take it back afterwards.`
          : "Files become as they were before the last restore."
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={restore.isPending}
            disabled={!planned.data || planned.data.files.length === 0}
            onClick={confirm}
          >
            {turn ? `Restore ${path ? "the file" : "files"}` : "Take it back"}
          </Button>
        </>
      }
    >
      <Asked query={planned} what="What would be done">
        {({ files, more_files }) =>
          files.length === 0 ? (
            <p className="text-sm text-muted">There is nothing to do: the files are that way already.</p>
          ) : (
            <ul
              aria-label="What will be done"
              className="max-h-64 overflow-y-auto rounded-md border border-line text-sm"
            >
              {files.map((file) => (
                <li key={file.path} className="flex justify-between gap-3 px-3 py-1.5">
                  <span className="min-w-0 font-mono text-xs leading-5 break-all">{visible(file.path)}</span>
                  <span className="shrink-0 text-muted">{DEEDS[file.deed]}</span>
                </li>
              ))}
              {more_files > 0 && (
                <li className="px-3 py-1.5 text-muted">{plural(more_files, "more file")}</li>
              )}
            </ul>
          )
        }
      </Asked>
      {restore.error && (
        <p role="alert" className="mt-3 text-sm text-bad">
          {sentence(restore.error)}
        </p>
      )}
    </Dialog>
  );
}
