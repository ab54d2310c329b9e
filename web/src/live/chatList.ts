import { useEffect, useRef } from "react";
import {
  accessMoved,
  childrenAgain,
  type Filters,
  listAgain,
  listedChat,
  type RowChat,
  type RowPage,
  tellLists,
} from "@/api/chats/chats";
import type { ListEvent } from "@/api/types";
import { noteList } from "./listState";
import { follow } from "./socket";

type Moved = (before: RowChat | undefined, chat: RowChat) => void;

/** Keeps the lists of chats true while it is mounted: once in the page. `onMoved` is called for each change. */
export function useListStream(onMoved: Moved): void {
  const newest = useRef(onMoved);
  newest.current = onMoved;
  useEffect(() => {
    let cursor: string | null = null;
    return follow<ListEvent>({
      path: "api/v1/chats/watch",
      cursor: () => cursor,
      onEvents: (events) => {
        cursor = events.at(-1)?.cursor ?? cursor;
        for (const event of events) told(event, newest.current);
      },
      onConnection: ({ state }) => {
        // Told anew to whoever comes back.
        if (state === "open") noteList({ isPaused: false, offers: 0 });
      },
      whyRefused: async () => {
        cursor = null;
        return "again";
      },
    });
  }, []);
}

function told(event: ListEvent, onMoved: Moved): void {
  if (event.type === "children_change") childrenAgain(event.chat_id);
  // It was closed; what it was is asked when the next connection is refused.
  if (event.type === "access_ended") return;
  if (event.type === "list_paused") noteList({ isPaused: event.paused });
  else if (event.type === "offers_change") noteList({ offers: event.count });
  else if (event.type === "gap") listAgain();
  else if (event.type === "deleted") {
    tellLists((pages) => without(pages, event.chat_id));
    accessMoved(event.chat_id, null);
  } else {
    const before = listedChat(event.chat_id);
    tellLists((pages, filters) => withChat(pages, event.chat, filters));
    accessMoved(event.chat_id, event.chat.access);
    onMoved(before, event.chat);
  }
}

/** A chat as it is now: in its place, added on top, or gone from a list that it no longer belongs to. */
export function withChat(pages: RowPage[], chat: RowChat, filters: Filters): RowPage[] {
  if (!belongs(chat, filters)) return without(pages, chat.id);
  const isKnown = pages.some((page) => page.chats.some((each) => each.id === chat.id));
  if (!isKnown) {
    return pages.map((page, index) => (index === 0 ? { ...page, chats: [chat, ...page.chats] } : page));
  }
  return pages.map((page) => ({
    ...page,
    chats: page.chats.map((each) => (each.id === chat.id ? chat : each)),
  }));
}

export function without(pages: RowPage[], chatId: string): RowPage[] {
  return pages.map((page) => ({ ...page, chats: page.chats.filter((each) => each.id !== chatId) }));
}

/** What was read stays in a list of unread ones until it is asked for again: nothing vanishes under the hand. */
function belongs(chat: RowChat, filters: Filters): boolean {
  const isOwn = chat.access === "owner";
  if (filters.shared === isOwn || chat.archived !== filters.archived) return false;
  return filters.labels.every((label) => {
    const [key = "", ...value] = label.split(":");
    return chat.labels?.[key] === value.join(":");
  });
}
