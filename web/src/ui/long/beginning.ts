/** How much of a long text is shown at first, and where it is cut (pure). */

// More than people write, and than models answer but for the rarest times. What follows is shown on request.
export const CHARACTERS_FIRST = 100_000;
// Each is an element or more, and has to be laid out.
const LINES_FIRST = 4_000;

/** The first characters and lines, so many times as many as at first. Never half of a character. */
export function beginningOf(text: string, times: number): string {
  const characters = CHARACTERS_FIRST * times;
  const lines = endOfLine(text, LINES_FIRST * times);
  if (Math.min(text.length, lines) <= characters) return text.slice(0, lines);
  const line = text.lastIndexOf("\n", characters);
  return text.slice(0, line > characters / 2 ? line : whole(text, characters));
}

/** Where this line ends, counted from 1; the end of a text that has fewer. */
function endOfLine(text: string, number: number): number {
  let at = -1;
  for (let line = 0; line < number; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/**
 * The end of a text that grows: as many characters as are shown at first, to twice as many, from the beginning of a
 * line if there is one near. It begins at the same place for a long time, so that what was read of it can be kept.
 */
export function endOf(text: string): string {
  const from = Math.floor(text.length / CHARACTERS_FIRST - 1) * CHARACTERS_FIRST;
  if (from <= 0) return text;
  const line = text.indexOf("\n", from);
  return text.slice(line >= 0 && line - from < CHARACTERS_FIRST / 2 ? line + 1 : whole(text, from));
}

/** This place, or the one before it where it is within a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
