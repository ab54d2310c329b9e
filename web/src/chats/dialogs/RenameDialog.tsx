import { Sparkles } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { patchChat, proposeTitle } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Dialog } from "@/ui/overlay/Dialog";

const TITLE_MAX = 200;

interface RenameDialogProps {
  chat: { id: string; title: string };
  onClose: () => void;
}

export function RenameDialog({ chat, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(chat.title);
  const [busy, setBusy] = useState<"saving" | "proposing" | null>(null);
  const [error, setError] = useState<string | null>(null);
  // A proposal that comes after the dialog was closed belongs to nothing.
  const open = useRef(true);

  async function attempt(doing: "saving" | "proposing", work: () => Promise<void>): Promise<void> {
    setBusy(doing);
    setError(null);
    try {
      await work();
    } catch (failure) {
      if (open.current) setError(sentence(failure));
    } finally {
      if (open.current) setBusy(null);
    }
  }

  function close(): void {
    open.current = false;
    onClose();
  }

  function save(event: FormEvent): void {
    event.preventDefault();
    void attempt("saving", async () => {
      await patchChat(chat.id, { title: title.trim() });
      close();
    });
  }

  const propose = () =>
    attempt("proposing", async () => {
      const proposed = await proposeTitle(chat.id);
      if (open.current) setTitle(proposed);
    });

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && close()} title="Rename this chat">
      <form onSubmit={save} className="flex flex-col gap-4 pb-2">
        <Field
          label="Title"
          bare
          autoFocus
          value={title}
          maxLength={TITLE_MAX}
          onChange={(event) => setTitle(event.target.value)}
          error={error}
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            className="mr-auto"
            busy={busy === "proposing"}
            disabled={busy !== null}
            onClick={() => void propose()}
          >
            {busy !== "proposing" && <Sparkles aria-hidden size={15} />}
            Suggest
          </Button>
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={busy === "saving"}
            disabled={busy !== null || !title.trim()}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
