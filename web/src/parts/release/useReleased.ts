import { useEffect, useRef, useState } from "react";

import { beginning, released } from "./release";

const STILL = "(prefers-reduced-motion: reduce)";

/** As much of a growing text as has appeared by now. Whole at once when it is over, or where motion is unwelcome. */
export function useReleased(text: string, live: boolean): string {
  const [shown, setShown] = useState(() => text.length);
  const latest = useRef(text.length);
  const isSmooth = live && !globalThis.matchMedia?.(STILL).matches;
  useEffect(() => {
    latest.current = text.length;
  });
  const isBehind = isSmooth && shown < text.length;
  useEffect(() => {
    if (!isBehind) return;
    let frame = 0;
    let before = performance.now();
    const step = (now: number) => {
      setShown((shownNow) => released(shownNow, latest.current, now - before));
      before = now;
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [isBehind]);
  return isSmooth ? beginning(text, Math.min(shown, text.length)) : text;
}
