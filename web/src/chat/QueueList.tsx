import { ArrowUp, CornerDownRight, Pencil, X } from "lucide-react";
import { useState } from "react";
import { promoteQueued, removeQueued } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import type { Queued } from "@/api/types";
import { queueOf, useOfChat } from "@/live/useChat";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { takeBack } from "./composer/draft";

const WHEN: Record<Queued["when"], string> = {
  queue: "after this turn",
  steer: "after this step",
  interrupt: "now",
};

/** Messages that wait for the agent. */
export function QueueList({ chatId }: { chatId: string }) {
  const queue = useOfChat(chatId, queueOf);
  const [hidden, setHidden] = useState<readonly number[]>([]);
  const shown = queue.filter((each) => !hidden.includes(each.id));
  if (shown.length === 0) return null;

  /** What is refused comes back into the list. */
  async function attempt(queued: Queued, work: () => Promise<unknown>): Promise<void> {
    setHidden([...hidden, queued.id]);
    try {
      await work();
    } catch (error) {
      setHidden((ids) => ids.filter((id) => id !== queued.id));
      toast({ text: sentence(error), bad: true });
    }
  }

  const edit = (queued: Queued) =>
    attempt(queued, async () => {
      await removeQueued(chatId, queued.id);
      takeBack(chatId, textOf(queued));
    });

  return (
    <section
      aria-label="Queue"
      className="mb-2 max-h-44 overflow-y-auto rounded-lg border border-line bg-side"
    >
      <ol>
        {shown.map((queued) => (
          <li
            key={queued.id}
            className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3 text-sm last:border-0"
          >
            <CornerDownRight aria-hidden size={14} className="shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{textOf(queued) || "Files"}</span>
            <span className="shrink-0 text-xs text-muted max-sm:hidden">
              {filesOf(queued)}
              {WHEN[queued.when]}
            </span>
            <IconButton
              icon={ArrowUp}
              label="Send now, and stop what runs"
              size="small"
              onClick={() => void attempt(queued, () => promoteQueued(chatId, queued.id))}
            />
            <IconButton icon={Pencil} label="Edit" size="small" onClick={() => void edit(queued)} />
            <IconButton
              icon={X}
              label="Remove"
              size="small"
              onClick={() => void attempt(queued, () => removeQueued(chatId, queued.id))}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function textOf({ content }: Queued): string {
  return content
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter(Boolean)
    .join("\n");
}

function filesOf({ content }: Queued): string {
  const count = content.filter((part) => part.type === "file").length;
  return count === 0 ? "" : count === 1 ? "1 file · " : `${count} files · `;
}
