/** What a program printed: scrolls inside, follows its end while it runs, and never fills the page. */

import { useLayoutEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { CodeLines } from "@/ui/code/CodeLines";
import { Scroll } from "@/ui/Group";
import "@/ui/code/code.css";

// While it runs only its end is drawn: each piece draws it again.
const LIVE_CHARACTERS_MAX = 16 * 1024;

interface Props {
  text: string;
  label: string;
  live?: boolean;
  /** The number of the first line; left out: lines have no numbers. */
  first?: number;
  /** Sentences: they go on in the next line, where lines of programs are scrolled. */
  prose?: boolean;
}

export function Output({ text, label, live = false, first, prose = false }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const shown = (live ? text.slice(-LIVE_CHARACTERS_MAX) : text).replace(/\n$/, "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is shown
  useLayoutEffect(() => {
    if (live && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [live, shown]);
  return (
    <Scroll
      ref={place}
      label={label}
      className={classes("code-text max-h-80 rounded-md bg-sunken", prose && "code-prose")}
    >
      <CodeLines code={shown} first={first} />
    </Scroll>
  );
}
