import { useState } from "react";
import { promoteQueued, removeQueued, reorderQueue } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import type { Queued } from "@/api/types";
import { takeBack } from "@/lib/kept/draft";
import { useAuthors } from "@/live/useAuthors";
import { queueOf, useOfChat } from "@/live/useChat";
import { toast } from "@/ui/overlay/Toast";
import { useReorder } from "@/ui/reorder/useReorder";
import { writtenIn } from "../composer/written";
import { inOrder } from "./order";
import { QueueRow } from "./QueueRow";

/** Messages that wait for the agent. */
export function QueueList({ chatId, isReadOnly }: { chatId: string; isReadOnly: boolean }) {
  const queue = useOfChat(chatId, queueOf);
  const authors = useAuthors(chatId);
  const [hidden, setHidden] = useState<readonly number[]>([]);
  // An order that was asked for counts until the server tells its own.
  const [wish, setWish] = useState<{ over: readonly Queued[]; ids: readonly string[] } | null>(null);
  const wished = wish?.over === queue ? inOrder(queue, wish.ids) : queue;
  const shown = wished.filter((each) => !hidden.includes(each.id));
  const reorder = useReorder(
    shown.map((each) => String(each.id)),
    (ids) => {
      setWish({ over: queue, ids });
      void reorderQueue(chatId, ids.map(Number)).catch((error) => {
        setWish(null);
        toast({ text: sentence(error), bad: true });
      });
    },
  );
  if (shown.length === 0) return null;

  /** What is refused comes back into the list. */
  async function attempt(queued: Queued, work: () => Promise<unknown>): Promise<void> {
    setHidden((ids) => [...ids, queued.id]);
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
      takeBack(chatId, writtenIn(queued));
    });

  return (
    <section
      aria-label="Queue"
      className="mb-2 max-h-44 overflow-y-auto rounded-lg border border-line bg-side"
    >
      <ol>
        {inOrder(shown, reorder.order).map((queued) => (
          <QueueRow
            key={queued.id}
            queued={queued}
            author={authors(queued.created_by)}
            item={reorder.itemOf(String(queued.id))}
            handle={shown.length > 1 && !isReadOnly ? reorder.handleOf(String(queued.id)) : null}
            isReadOnly={isReadOnly}
            isHeld={reorder.heldId === String(queued.id)}
            onPromote={() => void attempt(queued, () => promoteQueued(chatId, queued.id))}
            onEdit={() => void edit(queued)}
            onRemove={() => void attempt(queued, () => removeQueued(chatId, queued.id))}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {reorder.said}
      </p>
    </section>
  );
}
