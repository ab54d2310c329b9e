import { Ban, LockOpen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type User, useSuspendUser } from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import type { MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";

interface Suspending {
  /** Suspends them, or lets them in again. */
  item: MenuItem;
  /** What is asked before; it says what follows. */
  question: ReactNode;
}

/** For a user or a service, in a menu of theirs. */
export function useSuspending(
  { id, name, suspended_at }: Pick<User, "id" | "name" | "suspended_at">,
  whatFollows: string,
): Suspending {
  const [asks, setAsks] = useState(false);
  const suspend = useSuspendUser();
  const letIn = () =>
    suspend.mutate(
      { id, isSuspended: false },
      { onError: (error) => toast({ text: sentence(error), bad: true }) },
    );
  return {
    item:
      suspended_at !== null
        ? { label: "Let in again", icon: LockOpen, onSelect: letIn }
        : { label: "Suspend…", icon: Ban, onSelect: () => setAsks(true) },
    question: asks && (
      <Confirm
        title={`Suspend ${name}?`}
        action="Suspend"
        busy={suspend.isPending}
        error={suspend.error}
        onClose={() => setAsks(false)}
        onConfirm={() => suspend.mutate({ id, isSuspended: true }, { onSuccess: () => setAsks(false) })}
      >
        <p>{whatFollows}</p>
      </Confirm>
    ),
  };
}
