/** Which message of which chat is looked at in detail. Shared by the transcript and what is beside it. */

import { useSyncExternalStore } from "react";

interface Inspected {
  chatId: string;
  messageId: number;
}

let inspected: Inspected | null = null;
const listeners = new Set<() => void>();

export function inspect(chatId: string, messageId: number): void {
  inspected = { chatId, messageId };
  for (const listener of listeners) listener();
}

/** Calls back for each message that is to be looked at, also for the same one again. */
export function onInspect(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The message of this chat that was last asked for; null: none was. */
export function useInspected(chatId: string): number | null {
  return useSyncExternalStore(onInspect, () => (inspected?.chatId === chatId ? inspected.messageId : null));
}
