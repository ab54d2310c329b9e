import { useSyncExternalStore } from "react";
import { forget, keep, keptKeys, readKept } from "./kept";

/** What somebody has begun to write. Kept in this browser, so that a reload loses nothing. */
export interface Draft {
  text: string;
  files: readonly DraftFile[];
  references: readonly DraftReference[];
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

/** Lines of a file, and what somebody has to say about them. */
export interface DraftReference {
  key: string;
  file: string;
  first: number;
  last: number;
  /** As in a diff. */
  lines: string;
  comment: string;
}

/** In one message. */
export const REFERENCES_MAX = 20;

const NO_DRAFT: Draft = { text: "", files: [], references: [], at: 0 };
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
  // One that was kept by an earlier page may lack a field.
  const draft = { ...NO_DRAFT, ...readKept<Partial<Draft>>(keyOf(place), NO_DRAFT) };
  drafts.set(place, draft);
  return draft;
}

export function setDraft(place: string, change: Partial<Draft>): void {
  const draft = { ...draftOf(place), ...change, at: Date.now() };
  drafts.set(place, draft);
  if (draft.text === "" && draft.files.length + draft.references.length === 0) forget(keyOf(place));
  else keep(keyOf(place), draft);
  for (const listener of listeners) listener();
}

export function clearDraft(place: string): void {
  setDraft(place, { text: "", files: [], references: [] });
}

/** False: there are as many as a message may have. */
export function addReference(place: string, reference: Omit<DraftReference, "key">): boolean {
  const { references } = draftOf(place);
  if (references.length >= REFERENCES_MAX) return false;
  setDraft(place, { references: [...references, { ...reference, key: crypto.randomUUID() }] });
  return true;
}

/** A message that was not heard yet comes back into the field, before what is there. */
export function takeBack(place: string, { text, files, references }: Omit<Draft, "at">): void {
  const before = draftOf(place);
  const texts = [text, before.text].filter(Boolean);
  setDraft(place, {
    text: texts.join("\n\n"),
    files: [...files, ...before.files],
    references: [...references, ...before.references],
  });
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
