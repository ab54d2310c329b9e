/** What the caller may do, so that the page offers what works. The server decides again when it is asked. */

import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Permits = components["schemas"]["PermitList"];
type Access = components["schemas"]["ListedChat"]["access"];

/** Such as `chat.share`. */
export type Deeds = ReadonlySet<string>;

/** A chat, and what the caller is to it. */
type OfChat = { id: string; access: Access };

const asked = (chatId: string | null, more: readonly unknown[] = []) => ({
  queryKey: ["permits", chatId, ...more],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    answer(api.GET("/api/v1/permits", { params: { query: chatId ? { chat: chatId } : {} }, signal })),
});

// Who has become something else to it may do something else.
const askedOf = ({ id, access }: OfChat) => ({
  ...asked(id, [access]),
  queryFn: async (context: { signal: AbortSignal }): Promise<Permits> => {
    const permits = await asked(id).queryFn(context);
    const isShared = access === "reader" || access === "writer";
    if (!isShared || !permits.deeds.includes("chat.unshare")) return permits;
    // What came by a group or for everyone is not one's own to give up: there is nothing to leave.
    const path = { chat_id: id };
    const own = await answer(api.GET("/api/v1/chats/{chat_id}/grants", { params: { path }, ...context }));
    if (own.grants.length > 0) return permits;
    return { ...permits, deeds: permits.deeds.filter((deed) => deed !== "chat.unshare") };
  },
});

const deedsIn = ({ deeds }: Permits): Deeds => new Set<string>(deeds);

/** In general. */
export const usePermits = () => useQuery({ ...asked(null), select: deedsIn });

/** Whether they start chats of their own. Most may. */
export const useMayStart = (): boolean => usePermits().data?.has("chat.create") ?? true;

const KEEPING = ["chat.read", "chat.keep"];
const PUTTING_AWAY = ["chat.archive", "chat.delete"];
const SPEAKING = ["chat.speak", "chat.stop"];

/** What is offered until the server has answered: what most people in that place may do. */
const EXPECTED: Readonly<Record<Access, Deeds>> = {
  owner: new Set([
    ...KEEPING,
    ...PUTTING_AWAY,
    ...SPEAKING,
    "chat.rewrite",
    "chat.approve",
    "chat.set_up",
    "chat.past",
    "chat.inspect",
    "chat.workspace",
    "chat.describe",
    "chat.share",
    "chat.transfer",
  ]),
  writer: new Set([...KEEPING, ...SPEAKING]),
  reader: new Set(KEEPING),
  steward: new Set([...PUTTING_AWAY, "chat.read", "chat.stop", "chat.describe"]),
  admin: new Set([...PUTTING_AWAY, "chat.stop"]),
};

/** With one chat. `isWanted`: only when somebody is about to do something, for rows of which there are many. */
export function useChatPermits(chat: OfChat, isWanted = true): Deeds {
  const { data } = useQuery({ ...askedOf(chat), select: deedsIn, enabled: isWanted });
  return data ?? EXPECTED[chat.access];
}

/** Whether public links of the chat can be made here. */
export const useMayMakeLinks = (chat: OfChat): boolean =>
  useQuery({
    ...askedOf(chat),
    select: ({ deeds, public_links }: Permits) => public_links && deeds.includes("chat.share"),
  }).data ?? false;

/** Whether the chat can be shared with everyone on this server. */
export const useMayShareWithAll = (chat: OfChat): boolean =>
  useQuery({
    ...askedOf(chat),
    select: ({ deeds, sharing }: Permits) => sharing === "everyone" && deeds.includes("chat.share"),
  }).data ?? false;
