/** What the agent said in a turn, as text (pure). */

import type { Row } from "./rows";

/** Everything from the last message of a user up to this row. */
export function turnText(rows: readonly Row[], last: Row): string {
  const end = rows.indexOf(last);
  const start = rows.findLastIndex((row, index) => index < end && row.role === "user") + 1;
  const turn = end < 0 ? [last] : rows.slice(start, end + 1);
  return turn
    .filter((row) => row.role === "assistant")
    .flatMap(textsOf)
    .join("\n\n");
}

export function textsOf(row: Row): string[] {
  return row.blocks.flatMap((block) =>
    block.type === "part" && block.part.type === "text" && block.part.text ? [block.part.text] : [],
  );
}
