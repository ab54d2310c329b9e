import { type RefObject, useMemo, useRef } from "react";
import type { VirtualizerHandle } from "virtua";
import type { Row } from "@/live/rows/rows";
import { turnText } from "@/live/rows/turnText";

/** What a message knows of those around it. The same object for all of a chat's life: rows are not drawn for it. */
export interface Around {
  /** Everything that the agent said in the turn that ends with this row. */
  turnText: (row: Row) => string;
  /** To the message of a user before (-1) or after (1) this one; past the first and the last, to the ends. */
  jump: (row: Row, step: 1 | -1) => void;
}

interface Scrolling {
  list: RefObject<VirtualizerHandle | null>;
  stay: () => void;
  toBottom: () => void;
}

export function useAround(rows: readonly Row[], { list, stay, toBottom }: Scrolling): Around {
  const newest = useRef(rows);
  newest.current = rows;
  return useMemo(
    () => ({
      turnText: (row) => turnText(newest.current, row),
      jump: (row, step) => {
        const to = nextOfUser(newest.current, newest.current.indexOf(row), step);
        if (to === null && step > 0) return toBottom();
        stay();
        list.current?.scrollToIndex(to ?? 0, { align: "start", offset: -ABOVE_PX });
      },
    }),
    [list, stay, toBottom],
  );
}

/** So much of what is before a message stays in sight. */
const ABOVE_PX = 16;

export function nextOfUser(rows: readonly Row[], from: number, step: 1 | -1): number | null {
  for (let at = from + step; at >= 0 && at < rows.length; at += step)
    if (rows[at]?.role === "user") return at;
  return null;
}
