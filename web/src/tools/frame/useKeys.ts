import { type RefObject, useEffect, useRef } from "react";

const EDITABLE = "input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=dialog] *";

/**
 * Keys that answer what is asked here, wherever the focus is, but for fields. Of several that ask, the first one on
 * the page has the keys.
 */
export function useKeys(
  place: RefObject<HTMLElement | null>,
  active: boolean,
  keys: Readonly<Record<string, () => void>>,
) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (!active) return;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.matches(EDITABLE)) return;
      if (!place.current || !isFirst(place.current, event.target)) return;
      const act = latest.current[event.key.toLowerCase()];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [active, place]);
}

function isFirst(place: HTMLElement, target: EventTarget | null): boolean {
  const within = target instanceof Element ? target.closest("[data-asks]") : null;
  return (within ?? document.querySelector("[data-asks]")) === place;
}
