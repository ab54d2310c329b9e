import { useCallback } from "react";
import { useAccount } from "@/api/accounts/account";
import { useChatDetails } from "@/api/chats/chats";
import type { Participant } from "@/api/types";
import { participantsOf, useOfChat } from "./useChat";

/** Who has written a message; null: the one who looks at it. */
export type Authors = (createdBy: string | null | undefined) => string | null;

/** Somebody whose account is gone. */
export const SOMEBODY = "Somebody";

/** Whose messages these are, by name. */
export function useAuthors(chatId: string): Authors {
  const me = useAccount().data?.id;
  const owner = useChatDetails(chatId).data?.owner;
  const participants = useOfChat(chatId, participantsOf);
  return useCallback((createdBy) => authorOf(createdBy, me, participants, owner), [me, owner, participants]);
}

export function authorOf(
  createdBy: string | null | undefined,
  me: string | undefined,
  participants: Readonly<Record<string, Participant>>,
  owner: Participant | undefined,
): string | null {
  // Until it is known who looks at it, it is taken for their own: so it is in almost every chat.
  if (!createdBy || me === undefined || createdBy === me) return null;
  const known = participants[createdBy] ?? (owner?.id === createdBy ? owner : undefined);
  if (known !== undefined) return known.display_name || known.name;
  return owner === undefined ? null : SOMEBODY;
}
