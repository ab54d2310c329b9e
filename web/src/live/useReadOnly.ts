import { useChatDetails } from "@/api/chats/chats";
import { detailsOf, useOfChat } from "./useChat";

/** Why nothing can be said in a chat; null: it can be. */
export type ReadOnly = "archived" | "not yours" | null;

/** Who may speak in a chat that is not archived. */
const SPEAKERS: ReadonlySet<string> = new Set(["owner", "writer"]);

export function useReadOnly(chatId: string): ReadOnly {
  const access = useChatDetails(chatId).data?.access;
  const isArchived = useOfChat(chatId, detailsOf)?.archived ?? false;
  if (access !== undefined && !SPEAKERS.has(access)) return "not yours";
  return isArchived ? "archived" : null;
}

/** Those who have marks of their own in a chat: its owner, and those with whom it is shared. */
const KEEPERS: ReadonlySet<string> = new Set(["owner", "writer", "reader"]);

export function useKeepsMarks(chatId: string): boolean {
  return KEEPERS.has(useChatDetails(chatId).data?.access ?? "");
}
