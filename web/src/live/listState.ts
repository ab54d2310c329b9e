/** What the stream of the list tells beside chats. */

import { useSyncExternalStore } from "react";

interface ListState {
  /** The server cannot reach its database: what is listed may be outdated. */
  isPaused: boolean;
  /** How many chats are offered to the one who looks. */
  offers: number;
}

let state: ListState = { isPaused: false, offers: 0 };
const listeners = new Set<() => void>();

export function noteList(change: Partial<ListState>): void {
  state = { ...state, ...change };
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useListState = (): ListState => useSyncExternalStore(subscribe, () => state);
