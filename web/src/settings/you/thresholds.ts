/** Personal thresholds of compaction, as they are typed (pure). */

/** A model's own threshold, and what this user wants instead: empty means the model's own. */
export interface ThresholdRow {
  name: string;
  usual: number;
  typed: string;
}

export const PERCENT_MAX = 100;

/** What is wrong with what was typed; null: nothing. */
export function problemOf(typed: string): string | null {
  if (typed.trim() === "") return null;
  const percent = Number(typed);
  return Number.isInteger(percent) && percent >= 0 && percent <= PERCENT_MAX
    ? null
    : "Enter a whole number from 0 to 100, or nothing.";
}

/** At 100 a history is never summed up by itself. */
export const turnsOff = (typed: string): boolean =>
  problemOf(typed) === null && Number(typed) === PERCENT_MAX;

/** What to tell the server: null takes a threshold back. */
export function changesOf(
  before: Readonly<Record<string, number>>,
  typed: Readonly<Record<string, string>>,
): Record<string, number | null> {
  const changes: Record<string, number | null> = {};
  for (const [name, text] of Object.entries(typed)) {
    const wanted = text.trim() === "" ? null : Number(text);
    if (wanted !== (before[name] ?? null)) changes[name] = wanted;
  }
  return changes;
}
