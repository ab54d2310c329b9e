/** Which blocks of a message are shown as one: reads in a row, and the sources of an answer (pure). */
import type { PartOf } from "@/api/types";
import type { ShownCall } from "@/live/rows/call";
import { isRead } from "@/live/rows/reads";
import type { Block } from "@/live/rows/rows";

export type Group =
  | { type: "block"; key: string; block: Block }
  | { type: "reads"; key: string; calls: ShownCall[] }
  | { type: "sources"; key: string; sources: PartOf<"source">[] };

const isSource = (block: Block) => block.type === "part" && block.part.type === "source";

export function groupsOf(blocks: readonly Block[]): Group[] {
  return runsOf(blocks).map(grouped);
}

/** Neighbours of one kind together, every other block for itself. */
function runsOf(blocks: readonly Block[]): [Block, ...Block[]][] {
  const runs: [Block, ...Block[]][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const kind = [isRead, isSource].find((is) => is(block));
    if (run && kind?.(run[0])) run.push(block);
    else runs.push([block]);
  }
  return runs;
}

function grouped(run: [Block, ...Block[]]): Group {
  const [first] = run;
  const calls = run.flatMap((block) => (block.type === "call" ? [block.call] : []));
  const sources = run.flatMap((block) =>
    block.type === "part" && block.part.type === "source" ? [block.part] : [],
  );
  if (sources.length > 0) return { type: "sources", key: first.key, sources };
  if (calls.length > 1) return { type: "reads", key: first.key, calls };
  return { type: "block", key: first.key, block: first };
}
