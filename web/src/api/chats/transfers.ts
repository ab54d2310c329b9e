/** Handing chats over: what one offers, and what one is offered. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";
import { chatKey } from "./chats";

type Schemas = components["schemas"];
export type Offer = Schemas["TransferView"];
export type Keep = Schemas["KeptRole"];

const TRANSFERS = ["transfers"];

const inPath = (chatId: string) => ({ params: { path: { chat_id: chatId } } });

/** What is on offer, to the caller and by them. `count`: what the stream of the list tells, if it is known. */
const useTransfers = <T>(count: number | null, select: (list: Schemas["TransferList"]) => T) =>
  useQuery({
    queryKey: [...TRANSFERS, count],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/transfers", { signal })),
    placeholderData: (before) => before,
    select,
  });

/** Null: this chat is offered to nobody. */
export const useOffer = (chatId: string) =>
  useTransfers(null, ({ offered }) => offered.find((each) => each.chat_id === chatId) ?? null);

/** What is offered to the caller. */
export const useOffers = (count: number) => useTransfers(count, ({ transfers }) => transfers);

/** Whatever becomes of an offer, it is read anew, and so is its chat. */
function useChange<In extends { chatId: string }, Out>(change: (wanted: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: (_, __, { chatId }) => {
      void client.invalidateQueries({ queryKey: TRANSFERS });
      void client.invalidateQueries({ queryKey: chatKey(chatId) });
    },
  });
}

type Offering = Schemas["OfferChat"] & { chatId: string };

/** With a reason, an administrator hands it over at once. */
export const useOfferChat = () =>
  useChange(({ chatId, ...body }: Offering) =>
    answer(api.POST("/api/v1/chats/{chat_id}/transfer", { ...inPath(chatId), body })),
  );

export const useWithdraw = () =>
  useChange(({ chatId }: { chatId: string }) =>
    answer(api.DELETE("/api/v1/chats/{chat_id}/transfer", inPath(chatId))),
  );

export const useAccept = () =>
  useChange(({ chatId }: { chatId: string }) =>
    answer(api.POST("/api/v1/chats/{chat_id}/transfer/accept", inPath(chatId))),
  );

export const useDecline = () =>
  useChange(({ chatId }: { chatId: string }) =>
    answer(api.POST("/api/v1/chats/{chat_id}/transfer/decline", inPath(chatId))),
  );
