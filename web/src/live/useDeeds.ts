import { type Deeds, useChatPermits } from "@/api/accounts/permits";
import { useChatDetails } from "@/api/chats/chats";

/** What the caller may do with the chat that is open. Until it is known whose it is, it is taken for their own. */
export function useDeeds(chatId: string | null): Deeds {
  const access = useChatDetails(chatId).data?.access;
  return useChatPermits({ id: chatId ?? "", access: access ?? "owner" }, access !== undefined);
}
