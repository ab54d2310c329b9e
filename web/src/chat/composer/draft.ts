import { useSyncExternalStore } from "react";
import { forget, keep, keptKeys, readKept } from "@/lib/kept/kept";

/** What somebody has begun to write. Kept in this browser, so that a reload loses nothing. */
export interface Draft {
  text: string;
  files: readonly DraftFile[];
  at: number;
}

/** A file that the server has already. */
export interface DraftFile {
  id: string;
  name: string;
  media_type: string;
  /** Null: not known here. */
  size_bytes: number | null;
}

const NO_DRAFT: Draft = { text: "", files: [], at: 0 };
const DAYS_MAX = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The one of the page for new chats. */
export const NEW = "new";

const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

const keyOf = (place: string) => `draft.${place}`;

export function draftOf(place: string): Draft {
  const known = drafts.get(place);
  if (known) return known;
  const draft = readKept(keyOf(place), NO_DRAFT);
  drafts.set(place, draft);
  return draft;
}

export function setDraft(place: string, change: Partial<Draft>): void {
  const draft = { ...draftOf(place), ...change, at: Date.now() };
  drafts.set(place, draft);
  if (draft.text === "" && draft.files.length === 0) forget(keyOf(place));
  else keep(keyOf(place), draft);
  for (const listener of listeners) listener();
}

export function clearDraft(place: string): void {
  setDraft(place, { text: "", files: [] });
}

/** A message that was not heard yet comes back into the field, before what is there. */
export function takeBack(place: string, { text, files }: Pick<Draft, "text" | "files">): void {
  const before = draftOf(place);
  const texts = [text, before.text].filter(Boolean);
  setDraft(place, { text: texts.join("\n\n"), files: [...files, ...before.files] });
}

export function useDraft(place: string): Draft {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => draftOf(place),
  );
}

/** The next one at this browser may be somebody else. */
export function forgetAllDrafts(): void {
  for (const key of keptKeys("draft.")) forget(key);
}

/** Drafts that were left for a month are forgotten. */
export function forgetOldDrafts(now: number = Date.now()): void {
  for (const key of keptKeys("draft.")) {
    if (now - readKept(key, NO_DRAFT).at > DAYS_MAX * DAY_MS) forget(key);
  }
}
