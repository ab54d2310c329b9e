import { type RefObject, useCallback } from "react";
import { useShortcut } from "@/lib/browser/shortcuts";

/** By keyboard from the open chat to the next one, as the list shows them now. */
export function useNeighbours(list: RefObject<HTMLElement | null>): void {
  const go = useCallback(
    (step: number) => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>("a[data-chat]") ?? [])];
      const at = links.findIndex((link) => link.getAttribute("aria-current") === "page");
      const link = at < 0 ? links.at(step > 0 ? 0 : -1) : links[at + step];
      link?.click();
      link?.scrollIntoView?.({ block: "nearest" });
    },
    [list],
  );
  useShortcut("next", () => go(1));
  useShortcut("previous", () => go(-1));
}
