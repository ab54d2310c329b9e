import { type KeyboardEvent, useRef } from "react";
import { setDraft } from "@/lib/kept/draft";

/** Earlier messages with the arrow keys, from an empty field or from one of them. Typing ends it. */
export function usePast(place: string, prompts: readonly string[]) {
  const at = useRef(-1);

  function onKeyDown(event: KeyboardEvent, text: string): boolean {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const isUntouched = text === "" ? at.current === -1 : text === prompts[at.current];
    if (
      step === undefined ||
      !isUntouched ||
      event.shiftKey ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return false;
    const next = Math.min(prompts.length - 1, at.current + step);
    if (next < -1 || next === at.current) return false;
    event.preventDefault();
    at.current = next;
    setDraft(place, { text: prompts[next] ?? "" });
    return true;
  }

  return {
    onKeyDown,
    leave: () => {
      at.current = -1;
    },
  };
}
