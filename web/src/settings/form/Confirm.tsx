import type { ReactNode } from "react";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/overlay/Dialog";

interface ConfirmProps {
  title: string;
  /** What will be different afterwards. */
  children: ReactNode;
  /** What the button says: the deed itself. */
  action: string;
  busy: boolean;
  /** Something has to be said first. */
  disabled?: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  children,
  action,
  busy,
  disabled,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} disabled={disabled} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="text-sm">{children}</div>
      {error !== null && error !== undefined && (
        <p role="alert" className="mt-3 text-sm text-bad">
          {sentence(error)}
        </p>
      )}
    </Dialog>
  );
}
