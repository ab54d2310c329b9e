/** Which tab was open in which chat (pure, but for reading and keeping it). */

import { keep, readKept } from "@/lib/kept/kept";

const KEY = "panel.tabs";
/** Chats whose tab is remembered; older ones are forgotten. */
const CHATS_MAX = 100;

type Remembered = readonly (readonly [chatId: string, tab: string])[];

export function rememberedTab(chatId: string): string | null {
  return readKept<Remembered>(KEY, []).find(([id]) => id === chatId)?.[1] ?? null;
}

export function rememberTab(chatId: string, tab: string): void {
  const others = readKept<Remembered>(KEY, []).filter(([id]) => id !== chatId);
  keep(KEY, [[chatId, tab], ...others].slice(0, CHATS_MAX));
}

/** The tab to show: the remembered one if it is there now. What is remembered stays, and is shown when it is back. */
export function shownTab<T extends string>(wanted: string | null, there: readonly [T, ...T[]]): T {
  return there.find((tab) => tab === wanted) ?? there[0];
}
