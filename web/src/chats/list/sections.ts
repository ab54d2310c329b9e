/** How a list is divided (pure). */

import type { RowChat } from "@/api/chats/chats";

export interface Section {
  name: string;
  chats: readonly RowChat[];
}

export const PINNED = "Pinned";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Pinned ones in their order, then by the day on which something last happened. Empty ones are left out. */
export function sectionsOf(chats: readonly RowChat[], now: Date): readonly Section[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const since = [
    ["Today", midnight],
    ["Yesterday", midnight - DAY_MS],
    ["This week", midnight - 6 * DAY_MS],
    ["Older", Number.NEGATIVE_INFINITY],
  ] as const;
  const pinned = chats.filter((chat) => chat.pin_order > 0).sort((a, b) => a.pin_order - b.pin_order);
  const rest = chats.filter((chat) => chat.pin_order === 0).sort(newestFirst);
  const sections: Section[] = [{ name: PINNED, chats: pinned }];
  for (const [index, [name, from]] of since.entries()) {
    const until = since[index - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    const within = rest.filter((chat) => {
      const at = Date.parse(chat.updated_at);
      return at >= from && at < until;
    });
    sections.push({ name, chats: within });
  }
  return sections.filter((section) => section.chats.length > 0);
}

const newestFirst = (a: RowChat, b: RowChat) => Date.parse(b.updated_at) - Date.parse(a.updated_at);
