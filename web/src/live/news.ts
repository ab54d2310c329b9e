/** What somebody who does not look at a chat wants to be told of it (pure). */

import type { RowChat } from "@/api/chats/chats";

export interface News {
  chatId: string;
  title: string;
  text: string;
}

/** From one state of a chat to the next; null: that is no news. What a person has stopped they know of. */
export function newsOf(before: RowChat | undefined, chat: RowChat): News | null {
  const text = before?.status === "running" ? textOf(chat) : null;
  return text === null ? null : { chatId: chat.id, title: chat.title || "New chat", text };
}

function textOf(chat: RowChat): string | null {
  switch (chat.status) {
    case "waiting":
      return "The agent is done.";
    case "requires_action":
      return "The agent needs you.";
    case "error":
      return chat.last_error?.message ?? "The agent has failed.";
    default:
      return null;
  }
}
