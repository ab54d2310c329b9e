import { useAccount } from "@/api/accounts/account";
import { useChatDetails } from "@/api/chats/chats";
import { detailsOf, useOfChat } from "./useChat";

/** Why nothing can be said in a chat; null: it can be. */
export type ReadOnly = "archived" | "not yours" | null;

export function useReadOnly(chatId: string): ReadOnly {
  const me = useAccount().data?.id;
  const owner = useChatDetails(chatId).data?.owner_id;
  const isArchived = useOfChat(chatId, detailsOf)?.archived ?? false;
  if (me !== undefined && owner !== undefined && me !== owner) return "not yours";
  return isArchived ? "archived" : null;
}
