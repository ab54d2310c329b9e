/** How a list is divided (pure). */

import type { RowChat } from "@/api/chats/chats";

export interface Section {
  name: string;
  chats: readonly RowChat[];
}

export const PINNED = "Pinned";

/** By the day on which something last happened, or those first that have something new. */
export type Grouping = "date" | "unread";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Pinned ones in their order, then the others, the newest first. Empty ones are left out. */
export function sectionsOf(
  chats: readonly RowChat[],
  now: Date,
  grouping: Grouping = "date",
): readonly Section[] {
  const pinned = chats.filter((chat) => chat.pin_order > 0).sort((a, b) => a.pin_order - b.pin_order);
  const rest = chats.filter((chat) => chat.pin_order === 0).sort(newestFirst);
  const others = grouping === "date" ? byDay(rest, now) : byUnread(rest);
  return [{ name: PINNED, chats: pinned }, ...others].filter((section) => section.chats.length > 0);
}

function byUnread(chats: readonly RowChat[]): Section[] {
  return [
    { name: "Unread", chats: chats.filter((chat) => chat.has_unread) },
    { name: "Read", chats: chats.filter((chat) => !chat.has_unread) },
  ];
}

function byDay(chats: readonly RowChat[], now: Date): Section[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const since = [
    ["Today", midnight],
    ["Yesterday", midnight - DAY_MS],
    ["This week", midnight - 6 * DAY_MS],
    ["Older", Number.NEGATIVE_INFINITY],
  ] as const;
  return since.map(([name, from], index) => {
    const until = since[index - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    const within = chats.filter((chat) => {
      const at = Date.parse(chat.updated_at);
      return at >= from && at < until;
    });
    return { name, chats: within };
  });
}

const newestFirst = (a: RowChat, b: RowChat) => Date.parse(b.updated_at) - Date.parse(a.updated_at);
