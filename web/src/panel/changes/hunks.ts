/** A file of a diff as people look at it: in hunks, in one column or in two (pure). */

import type { DiffLine, FileDiff } from "@/ui/diff/parse";

export interface Hunk {
  /** Where it is in the file as it is now, or as it was where nothing is left. */
  first: number;
  last: number;
  /** What it is in: a function, a heading. */
  within: string;
  lines: DiffLine[];
}

export function hunksOf(file: FileDiff): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of file.lines) {
    if (line.kind === "hunk") hunks.push({ first: 0, last: 0, within: line.text, lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks.map(placed);
}

function placed(hunk: Hunk): Hunk {
  const after = hunk.lines.flatMap((line) => line.after ?? []);
  const places = after.length > 0 ? after : hunk.lines.flatMap((line) => line.before ?? []);
  return { ...hunk, first: places[0] ?? 0, last: places.at(-1) ?? 0 };
}

/** Lines that somebody comments on. */
export interface Excerpt {
  first: number;
  last: number;
  text: string;
}

const EXCERPT_CHARACTERS_MAX = 8_000;
const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "-",
  same: " ",
  hunk: "",
  note: "",
};

/** From one line to another, in any order. They are numbered as in the file now, or as before where none is left. */
export function excerptOf(lines: readonly DiffLine[], one: DiffLine, other: DiffLine): Excerpt {
  const [from = 0, to = 0] = [lines.indexOf(one), lines.indexOf(other)].sort((a, b) => a - b);
  const chosen = lines.slice(from, to + 1);
  const { first, last } = placed({ first: 0, last: 0, within: "", lines: chosen });
  const text = chosen.map((line) => SIGNS[line.kind] + line.text).join("\n");
  return { first, last, text: text.slice(0, EXCERPT_CHARACTERS_MAX) };
}

/** One line of two columns; null: there is nothing on this side. */
export interface SplitRow {
  before: DiffLine | null;
  after: DiffLine | null;
}

/** Lines that were removed stand beside those that came instead. */
export function splitRows(lines: readonly DiffLine[]): SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      // A removal after additions begins another change.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") {
      added.push(line);
    } else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}
