/** What the caller may do, so that the page offers what works. The server decides again when it is asked. */

import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";

const permits = (chatId?: string) => ({
  queryKey: ["permits", chatId ?? null],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    answer(api.GET("/api/v1/permits", { params: { query: chatId ? { chat: chatId } : {} }, signal })),
});

/** With a chat, what may be done to it too. */
export const usePermits = (chatId?: string) =>
  useQuery({ ...permits(chatId), select: ({ deeds }): ReadonlySet<string> => new Set<string>(deeds) });

/** Whether public links of the chat can be made here. */
export const useMayMakeLinks = (chatId: string): boolean =>
  useQuery({
    ...permits(chatId),
    select: ({ deeds, public_links }) => public_links && deeds.includes("chat.share"),
  }).data ?? false;
