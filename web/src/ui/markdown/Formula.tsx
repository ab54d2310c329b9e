import katex from "katex";
import "katex/dist/katex.min.css";
import { useLayoutEffect, useRef } from "react";

// A formula may define names; what they grow into is bounded, and so is the size of what is drawn.
const LIMITS = { maxExpand: 500, maxSize: 20, trust: false, strict: "ignore" } as const;

/** Built as nodes: their styles are set as properties, which the policy of the page allows. */
export default function Formula({ text, block }: { text: string; block: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    try {
      katex.render(text, place.current, { ...LIMITS, displayMode: block });
    } catch {
      place.current.textContent = text;
    }
  }, [text, block]);
  return <span ref={place} className={block ? "md-formula" : undefined} />;
}
