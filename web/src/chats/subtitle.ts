/** The second line of a row (pure). */

import type { RowChat } from "@/api/chats";

const DOING: Partial<Record<RowChat["status"], string>> = {
  running: "Working…",
  interrupting: "Stopping…",
  requires_action: "Needs you",
};

/** What matters most of a chat at a glance: why it failed, what it does, what its last turn came to, its model. */
export function subtitleOf(chat: RowChat): string {
  if (chat.status === "error") return chat.last_error?.message ?? "Failed";
  return DOING[chat.status] ?? chat.found?.snippet ?? chat.last_turn_summary ?? modelName(chat.last_model);
}

const modelName = (model: string | null): string => model?.split("/").slice(1).join("/") ?? "";
