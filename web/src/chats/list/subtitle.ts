/** The second line of a row (pure). */

import type { RowChat } from "@/api/chats/chats";

const DOING: Partial<Record<RowChat["status"], string>> = {
  running: "Working…",
  interrupting: "Stopping…",
  requires_action: "Needs you",
};

/** What matters most of a chat at a glance: why it failed, what it does, what its last turn came to, its model. */
export function subtitleOf(chat: RowChat): string {
  if (chat.status === "error") return chat.last_error?.message ?? "Failed";
  if (chat.children.waiting.length > 0) return "An agent of it needs you";
  if (chat.children.at_work > 0 && chat.status !== "requires_action")
    return agentsAtWork(chat.children.at_work);
  return DOING[chat.status] ?? chat.found?.snippet ?? chat.last_turn_summary ?? modelName(chat.last_model);
}

/** Whose chat it is. */
export const ownerOf = ({ owner }: RowChat): string => owner.display_name || owner.name;

const agentsAtWork = (count: number): string =>
  count === 1 ? "An agent at work…" : `${count} agents at work…`;

const modelName = (model: string | null): string => model?.split("/").slice(1).join("/") ?? "";
