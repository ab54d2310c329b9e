/** Public links of a chat, as its owner has them. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type PublicLink = Schemas["PublicLinkView"];
export type Included = Schemas["IncludedForGuests"];

export interface LinkWish {
  days: number;
  live: boolean;
  include: Included[];
}

const links = (chatId: string) => ["links", chatId];

export const useLinks = (chatId: string) =>
  useQuery({
    queryKey: links(chatId),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/chats/{chat_id}/links", { params: { path: { chat_id: chatId } }, signal })),
  });

/** Its answer has the code, which is told this once. */
export function useMakeLink(chatId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wish: LinkWish) =>
      answer(
        api.POST("/api/v1/chats/{chat_id}/links", { params: { path: { chat_id: chatId } }, body: wish }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: links(chatId) }),
  });
}

export function useEndLink(chatId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (linkId: string): Promise<unknown> =>
      answer(
        api.DELETE("/api/v1/chats/{chat_id}/links/{link_id}", {
          params: { path: { chat_id: chatId, link_id: linkId } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: links(chatId) }),
  });
}
