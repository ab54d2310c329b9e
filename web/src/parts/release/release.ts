/** How fast words appear: models send them in bursts, and people read at a steady pace (pure). */

// Characters per second: slower when little is left to show, faster when much is.
const BASE = 72;
const SLOWEST = 24;
const FASTEST = 420;
// What is further behind appears at once.
export const BEHIND_MAX = 120;
// With so much left, the pace is the base.
const USUAL_BACKLOG = 40;

/** How many characters of a text of this length are shown, after so many milliseconds more. */
export function released(shown: number, length: number, ms: number): number {
  const backlog = length - shown;
  if (backlog <= 0) return length;
  const pace = Math.min(FASTEST, Math.max(SLOWEST, (BASE * backlog) / USUAL_BACKLOG));
  const next = shown + (pace * Math.max(0, ms)) / 1000;
  return Math.min(length, Math.max(next, length - BEHIND_MAX));
}

/** The first so many characters, and never half of one. */
export function beginning(text: string, shown: number): string {
  const end = Math.floor(shown);
  const last = text.charCodeAt(end - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? end + 1 : end);
}
