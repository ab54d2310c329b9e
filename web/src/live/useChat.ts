import { useSyncExternalStore } from "react";
import { type LiveChat, storeOf } from "./store";

/** Everything that is live of a chat; connected while it is on screen. */
export function useChat(chatId: string): LiveChat {
  const store = storeOf(chatId);
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
