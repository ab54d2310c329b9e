import { detailsOf, useOfChat } from "./useChat";
import { useDeeds } from "./useDeeds";

/** Why nothing can be said in a chat; null: it can be. */
export type ReadOnly = "archived" | "not permitted" | null;

export function useReadOnly(chatId: string): ReadOnly {
  const maySpeak = useDeeds(chatId).has("chat.speak");
  const isArchived = useOfChat(chatId, detailsOf)?.archived ?? false;
  if (!maySpeak) return "not permitted";
  return isArchived ? "archived" : null;
}
