import { useEffect, useState } from "react";

import type { Line } from "./highlight";
import { languageOf } from "./languages";

// Longer code is shown in one colour.
const CHARACTERS_MAX = 60_000;
const LINE_CHARACTERS_MAX = 1_000;
// Rows of a long chat leave the page and come back: what was highlighted is kept for so many blocks.
const KEPT_MAX = 200;

const kept = new Map<string, Line[]>();

/** The lines with their colours, or null as long as there are none. */
export function useHighlighted(code: string, language: string, isOpen: boolean): Line[] | null {
  const known = isOpen ? null : worthIt(code, language);
  const key = known === null ? "" : `${known}\n${code}`;
  const [lines, setLines] = useState<{ key: string; lines: Line[] } | null>(null);
  useEffect(() => {
    if (known === null || kept.has(key)) return;
    const cancel = new AbortController();
    void highlighted(code, known, cancel.signal).then((found) => {
      if (found === null) return;
      keep(key, found);
      setLines({ key, lines: found });
    });
    return () => cancel.abort();
  }, [code, known, key]);
  if (known === null) return null;
  return lines?.key === key ? lines.lines : (kept.get(key) ?? null);
}

function worthIt(code: string, language: string): string | null {
  if (code.length > CHARACTERS_MAX) return null;
  const known = languageOf(language);
  return known !== null && code.split("\n").every((line) => line.length <= LINE_CHARACTERS_MAX)
    ? known
    : null;
}

/** Null: it was not wanted any more, or the language could not be loaded. It is shown in one colour then. */
async function highlighted(code: string, language: string, signal: AbortSignal): Promise<Line[] | null> {
  try {
    const { highlight } = await import("./highlight");
    return await highlight(code, language, signal);
  } catch {
    return null;
  }
}

function keep(key: string, lines: Line[]): void {
  kept.set(key, lines);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) return;
    kept.delete(oldest);
  }
}
