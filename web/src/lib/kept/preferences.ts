/** How this browser's user likes the page. Each choice has a few values, the first of which counts by default. */

import { useSyncExternalStore } from "react";
import { keep, readKept } from "./kept";

export const PREFERENCES = {
  /** How wide the text of a chat may be. */
  "chat.width": ["normal", "wide"],
  /** What sends a message; the other one begins a new line. */
  "send.with": ["enter", "mod-enter"],
  /** Whether the thinking of a model is open; `auto`: while it thinks; `preview`: a few lines of it. */
  "show.reasoning": ["auto", "preview", "open", "closed"],
  /** Whether the cards of tools are open; `auto`: as each card thinks best. */
  "show.tools": ["auto", "open", "closed"],
  /** What happens when an agent is done and nobody looks: a notice of the system, a sound. */
  "notice.system": ["off", "on"],
  "notice.sound": ["off", "on"],
} as const;

export type PreferenceName = keyof typeof PREFERENCES;
export type Preference<N extends PreferenceName> = (typeof PREFERENCES)[N][number];

const listeners = new Set<() => void>();

export function preference<N extends PreferenceName>(name: N): Preference<N> {
  const values: readonly Preference<N>[] = PREFERENCES[name];
  const kept = readKept<unknown>(name, null);
  return values.find((value) => value === kept) ?? (values[0] as Preference<N>);
}

export function prefer<N extends PreferenceName>(name: N, value: Preference<N>): void {
  keep(name, value);
  showWidth();
  for (const listener of listeners) listener();
}

/** The style sheet knows both widths. */
export function showWidth(): void {
  document.documentElement.dataset.width = preference("chat.width");
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
