/** How far a call is, as its card tells it (pure). */
import { fieldsOf, readable, textOf } from "@/lib/json";
import { capital } from "@/lib/text/words";
import type { ShownCall } from "@/live/rows/call";

export type CallState = "running" | "waiting" | "done" | "failed" | "denied" | "stopped";

const BY_PROGRESS: Readonly<Record<ShownCall["progress"], CallState>> = {
  saying: "running",
  pending: "running",
  running: "running",
  awaiting_answer: "waiting",
  awaiting_approval: "waiting",
  awaiting_result: "waiting",
  denied: "denied",
  finished: "done",
  interrupted: "stopped",
};

export function stateOf(call: ShownCall): CallState {
  if (call.result === null || call.progress === "interrupted") return BY_PROGRESS[call.progress];
  if (!call.result.is_error) return "done";
  return call.result.decision?.allowed === false ? "denied" : "failed";
}

/** Why a call failed, as its tool said it; empty: it did not fail. */
export function failureOf(call: ShownCall): string {
  if (!call.result?.is_error) return "";
  const { error, message } = fieldsOf(call.result.result);
  return textOf(error) || textOf(message) || readable(call.result.result);
}

/** The words for what a tool does, as in `Reading`, `Read`, `Could not read`. */
export type Verbs = readonly [doing: string, done: string, failed: `Could not ${string}`];

export function verbOf(state: CallState, [doing, done, failed]: Verbs): string {
  if (state === "running") return doing;
  if (state === "done") return done;
  // `Read`: what is not done yet, or was not to be.
  return state === "failed" ? failed : capital(failed.slice("Could not ".length));
}
