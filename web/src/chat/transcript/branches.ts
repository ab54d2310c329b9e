/** Where a history has other versions of itself (pure). */

import type { Branch, Message } from "@/api/types";

/** At one message: the branches that differ from there on, and the one that is shown. */
export interface BranchPoint {
  branches: readonly number[];
  /** The place of the shown one among them. */
  at: number;
}

/**
 * By the id of the message at which they part.
 *
 * A branch shares its parent's messages before `fork_id`. So at the first message from there on, one can go to
 * the parent and to every branch that left it at the same place.
 */
export function branchPoints(
  branches: readonly Branch[],
  messages: readonly Message[],
): ReadonlyMap<number, BranchPoint> {
  const points = new Map<number, BranchPoint>();
  for (const [key, forked] of groups(branches)) {
    const [parent = 0, fork = 0] = key.split(" ").map(Number);
    const shown = shownAt(branches, parent, fork, forked);
    const message = messages.find((each) => each.id >= fork);
    if (shown === null || message === undefined) continue;
    const options = [parent, ...forked.map((each) => each.id)].sort((a, b) => a - b);
    points.set(message.id, { branches: options, at: options.indexOf(shown) });
  }
  return points;
}

function groups(branches: readonly Branch[]): Map<string, Branch[]> {
  const found = new Map<string, Branch[]>();
  for (const branch of branches) {
    if (branch.parent_id === null || branch.fork_id === null) continue;
    const key = `${branch.parent_id} ${branch.fork_id}`;
    found.set(key, [...(found.get(key) ?? []), branch]);
  }
  return found;
}

/** Which side of a fork the active branch is on; null: the fork is on a line that is not shown. */
function shownAt(
  branches: readonly Branch[],
  parent: number,
  fork: number,
  forked: readonly Branch[],
): number | null {
  let at = branches.find((each) => each.active);
  let left: Branch | undefined;
  while (at !== undefined) {
    const { id, parent_id } = at;
    if (forked.some((each) => each.id === id)) return id;
    if (id === parent) return left === undefined || (left.fork_id ?? 0) > fork ? parent : null;
    left = at;
    at = branches.find((each) => each.id === parent_id);
  }
  return null;
}
