/** Whether something goes on in a chat and its family (pure). */

import type { Children, Status } from "@/api/types";

const AT_WORK = new Set<Status>(["running", "interrupting"]);
const AT_REST = new Set<Status>(["waiting", "error"]);

export const isAtWork = (status: Status): boolean => AT_WORK.has(status);

export const isAtRest = (status: Status): boolean => AT_REST.has(status);

/** A chat that works for it does something, or waits for somebody. */
export const hasBusyChild = ({ at_work, waiting }: Children): boolean => at_work > 0 || waiting.length > 0;

/** Why the family cannot be put away or deleted now; null: it can be. */
export function whyBusy(status: Status, children: Children): string | null {
  if (status === "requires_action") return "Not while the agent waits for you.";
  if (!isAtRest(status)) return "Not while the agent is at work.";
  if (children.waiting.length > 0) return "Not while an agent that works for it waits for you.";
  return children.at_work > 0 ? "Not while an agent works for it." : null;
}
