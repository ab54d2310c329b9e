import { useState } from "react";
import { deleteChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/overlay/Dialog";

interface DeleteDialogProps {
  chat: { id: string; title: string };
  onClose: () => void;
  onGone: (chatId: string) => void;
}

export function DeleteDialog({ chat, onClose, onGone }: DeleteDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function remove(): Promise<void> {
    setBusy(true);
    try {
      await deleteChat(chat.id);
      onGone(chat.id);
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
      title="Delete this chat?"
      description={`“${chat.title}” and everything said in it is deleted for good. Files in the workspace stay.`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" busy={busy} onClick={() => void remove()}>
            Delete
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
