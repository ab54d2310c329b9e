import { useCallback, useSyncExternalStore } from "react";
import { type LiveChat, storeOf } from "./store";

/** Everything that is live of a chat; connected while it is on screen. Drawn anew with each word. */
export function useChat(chatId: string): LiveChat {
  const store = storeOf(chatId);
  return useSyncExternalStore(store.subscribe, store.snapshot);
}

/** One thing of it: drawn anew only when that is another one. `select` is defined outside of components. */
export function useOfChat<T>(chatId: string, select: (live: LiveChat) => T): T {
  const store = storeOf(chatId);
  const selected = useCallback(() => select(store.snapshot()), [store, select]);
  return useSyncExternalStore(store.subscribe, selected);
}

export const statusOf = (live: LiveChat) => live.view.status;
export const detailsOf = (live: LiveChat) => live.view.details;
export const messagesOf = (live: LiveChat) => live.view.messages;
export const queueOf = (live: LiveChat) => live.view.queue;
export const participantsOf = (live: LiveChat) => live.view.participants;
export const connectionOf = (live: LiveChat) => live.connection;
export const refusedOf = (live: LiveChat) => live.refused;
export const childrenOf = (live: LiveChat) => live.view.children;
export const isGone = (live: LiveChat) => live.view.gone;
