import { useState } from "react";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/overlay/Dialog";

interface SureDialogProps {
  title: string;
  description: string;
  /** What the two buttons say. */
  no: string;
  yes: string;
  work: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
}

/** Asks once more before a chat is gone. */
export function SureDialog({ title, description, no, yes, work, onDone, onClose }: SureDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function go(): Promise<void> {
    setBusy(true);
    try {
      await work();
      onDone();
      onClose();
    } catch (failure) {
      setError(sentence(failure));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button look="danger" busy={busy} onClick={() => void go()}>
            {yes}
          </Button>
        </>
      }
    >
      {error && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </Dialog>
  );
}
