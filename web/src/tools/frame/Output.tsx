/** What a program printed: scrolls inside, follows its end while it runs, and never fills the page. */

import { useLayoutEffect, useRef } from "react";
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
}

export function Output({ text, label, live = false, first }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const shown = (live ? text.slice(-LIVE_CHARACTERS_MAX) : text).replace(/\n$/, "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is shown
  useLayoutEffect(() => {
    if (live && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [live, shown]);
  return (
    <Scroll ref={place} label={label} className="code-text max-h-80 rounded-md bg-sunken">
      <CodeLines code={shown} first={first} />
    </Scroll>
  );
}
