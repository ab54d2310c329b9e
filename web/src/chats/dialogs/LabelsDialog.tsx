import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { patchChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Dialog } from "@/ui/overlay/Dialog";

interface LabelsDialogProps {
  chat: { id: string; title: string; labels: Record<string, string> };
  onClose: () => void;
}

/** Labels are pairs; one without a value means yes. */
function pairOf(text: string): [string, string] {
  const [key = "", ...value] = text.trim().split(":");
  return [key.trim(), value.join(":").trim() || "yes"];
}

export function LabelsDialog({ chat, onClose }: LabelsDialogProps) {
  const [labels, setLabels] = useState(chat.labels);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      const [key, value] = pairOf(text);
      await patchChat(chat.id, { labels: key ? { ...labels, [key]: value } : labels });
      onClose();
    } catch (failure) {
      setError(sentence(failure));
      setBusy(false);
    }
  }

  const remove = (key: string) =>
    setLabels(Object.fromEntries(Object.entries(labels).filter(([each]) => each !== key)));

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()} title="Labels" description={chat.title}>
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-4 pb-2">
        <ul className="flex flex-wrap gap-2">
          {Object.entries(labels).map(([key, value]) => (
            <li key={key} className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2 text-sm">
              {key}: {value}
              <IconButton icon={X} label={`Remove ${key}`} size="small" onClick={() => remove(key)} />
            </li>
          ))}
        </ul>
        <Field
          label="Add a label"
          placeholder="project: website"
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={error}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
