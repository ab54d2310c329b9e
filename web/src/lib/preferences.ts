/** How this browser's user likes the page. Each choice has a few values, the first of which counts by default. */

import { useSyncExternalStore } from "react";
import { keep, readKept } from "./kept";

export const PREFERENCES = {
  /** How wide the text of a chat may be. */
  width: ["normal", "wide"],
  /** What sends a message; the other one begins a new line. */
  send: ["enter", "mod-enter"],
  /** How the thinking of a model is shown once it is over. */
  thinking: ["folded", "open", "hidden"],
  /** How the cards of tools are shown. */
  tools: ["folded", "open"],
} as const;

export type PreferenceName = keyof typeof PREFERENCES;
export type Preference<N extends PreferenceName> = (typeof PREFERENCES)[N][number];

const PREFIX = "preference.";
const listeners = new Set<() => void>();

export function preference<N extends PreferenceName>(name: N): Preference<N> {
  const values: readonly Preference<N>[] = PREFERENCES[name];
  const kept = readKept<unknown>(PREFIX + name, null);
  return values.find((value) => value === kept) ?? (values[0] as Preference<N>);
}

export function prefer<N extends PreferenceName>(name: N, value: Preference<N>): void {
  keep(PREFIX + name, value);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab of the same user.
  globalThis.addEventListener?.("storage", listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener?.("storage", listener);
  };
}

export function usePreference<N extends PreferenceName>(name: N): Preference<N> {
  return useSyncExternalStore(subscribe, () => preference(name));
}
