/** What the caller may do, so that the page offers what works. The server decides again when it is asked. */

import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";

/** With a chat, what may be done to it too. */
export const usePermits = (chatId?: string) =>
  useQuery({
    queryKey: ["permits", chatId ?? null],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/permits", { params: { query: chatId ? { chat: chatId } : {} }, signal })),
    select: ({ deeds }): ReadonlySet<string> => new Set<string>(deeds),
  });
