import { ArrowDown, ArrowUp } from "lucide-react";
import { listAgain, type RowChat, tellLists } from "@/api/chats/chats";
import { markChat } from "@/api/chats/marks";
import { sentence } from "@/api/errors";
import type { MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { moved } from "@/ui/reorder/order";
import { useReorder } from "@/ui/reorder/useReorder";
import { ChatFamily, ROW_LIST, type Rows } from "./ChatFamily";
import { placesAfter } from "./pins";

/** Pinned chats, in the order in which whoever looks puts them. */
export function PinnedRows({ chats, rows }: { chats: readonly RowChat[]; rows: Rows }) {
  const ids = chats.map((chat) => chat.id);
  const named = (order: readonly string[]) =>
    order.flatMap((id) => chats.find((chat) => chat.id === id) ?? []);
  const reorder = useReorder(ids, (order, id) => void move(named(order), id));
  const itemsOf = (id: string): MenuItem[] => {
    const at = ids.indexOf(id);
    const to = (place: number) => () => void move(named(moved(ids, id, place)), id);
    return [
      { label: "Move up", icon: ArrowUp, disabled: at === 0, onSelect: to(at - 1) },
      { label: "Move down", icon: ArrowDown, disabled: at === ids.length - 1, onSelect: to(at + 1) },
    ];
  };
  return (
    <>
      <ul className={ROW_LIST}>
        {named(reorder.order).map((chat) => (
          <ChatFamily
            key={chat.id}
            chat={chat}
            rows={rows}
            item={{
              ...reorder.itemOf(chat.id),
              className: reorder.heldId === chat.id ? "rounded-lg shadow-raised" : undefined,
            }}
            handle={chats.length > 1 ? reorder.handleOf(chat.id) : undefined}
            moreItems={chats.length > 1 ? itemsOf(chat.id) : []}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {reorder.said}
      </p>
    </>
  );
}

/** Shown at once; what is refused is as it was before. */
async function move(order: readonly RowChat[], movedId: string): Promise<void> {
  const places = placesAfter(order, movedId);
  tellLists((pages) =>
    pages.map((page) => ({
      ...page,
      chats: page.chats.map((chat) => ({ ...chat, pin_order: places.get(chat.id) ?? chat.pin_order })),
    })),
  );
  try {
    await Promise.all([...places].map(([id, pin_order]) => markChat(id, { pin_order })));
  } catch (error) {
    toast({ text: sentence(error), bad: true });
    listAgain();
  }
}
