/**
 * Reads of files that follow one another are shown together, over messages too: an agent looks at many files
 * before it says something, and often at one in each step (pure).
 */

import { remembering } from "./remembering";
import type { Block, Row } from "./rows";

/** A call that a person is asked about stands alone. */
export const isRead = (block: Block): boolean =>
  block.type === "call" && block.call.name === "read_file" && !block.call.waiting;

/** The rows, with reads at the beginning of one moved to the end of the one before, if that ends with reads. */
export function withReadsTogether(rows: readonly Row[]): readonly Row[] {
  const together: Row[] = [];
  for (const run of runsOf(rows)) together.push(...joined(run));
  return together;
}

const byFirst = remembering<Row, readonly Row[]>();

/** Rows that begin with reads, behind one that ends with them. */
function runsOf(rows: readonly Row[]): [Row, ...Row[]][] {
  const runs: [Row, ...Row[]][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && endsWithReads(last) && readsOf(row) > 0) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

const isAgents = (row: Row): boolean => row.role === "assistant";

function endsWithReads(row: Row): boolean {
  const last = row.blocks.at(-1);
  return isAgents(row) && row.end === null && last !== undefined && isRead(last);
}

/** How many it begins with. */
function readsOf(row: Row): number {
  const other = row.blocks.findIndex((block) => !isRead(block));
  return isAgents(row) ? (other < 0 ? row.blocks.length : other) : 0;
}

function joined(run: readonly [Row, ...Row[]]): readonly Row[] {
  const [first, ...others] = run;
  if (others.length === 0) return run;
  return byFirst(first, others, () => {
    const reads = others.flatMap((row) =>
      row.blocks.slice(0, readsOf(row)).map((block) => renamed(block, row)),
    );
    const last = others.at(-1) ?? first;
    const rest = { ...last, blocks: last.blocks.slice(readsOf(last)) };
    const whole = { ...first, blocks: [...first.blocks, ...reads] };
    // Only the last of them may hold something else, or the end of the turn.
    return rest.blocks.length > 0 || rest.end !== null ? [whole, rest] : [whole];
  });
}

/** Calls of different messages may have the same id. */
const renamed = (block: Block, row: Row): Block => ({ ...block, key: `${row.key} ${block.key}` });
