/** Which cards a reader has opened or closed. Rows of a long chat leave the page and come back as they were. */
import { useState } from "react";

import { readKept } from "@/lib/kept/kept";

// How cards are at first, by preference. `auto`: as each card thinks best.
export type FoldMode = "auto" | "open" | "closed";
const CHOICES_MAX = 500;

const choices = new Map<string, boolean>();

export function useFold(key: string, mode: FoldMode, otherwise: boolean): [boolean, (open: boolean) => void] {
  const [chosen, setChosen] = useState(() => choices.get(key));
  const isOpen = chosen ?? (mode === "auto" ? otherwise : mode === "open");
  const choose = (open: boolean) => {
    choices.set(key, open);
    for (const oldest of choices.keys()) {
      if (choices.size <= CHOICES_MAX) break;
      choices.delete(oldest);
    }
    setChosen(open);
  };
  return [isOpen, choose];
}

export const foldModeOfTools = (): FoldMode => readKept<FoldMode>("show.tools", "auto");
