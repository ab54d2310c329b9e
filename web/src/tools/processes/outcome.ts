/** What the process tools tell of a process (pure). */
import { fieldsOf, numberOf, textOf } from "@/lib/json";
import type { ShownCall } from "@/live/rows/call";

import { type CallState, stateOf } from "../frame/state";
import type { Fate, Fates } from "./fates";

export interface ProcessOutcome {
  output: string;
  error: string;
  /** Null: not known, or it still runs. */
  exitCode: number | null;
  backgroundId: string;
  /** It was left running when the call returned. */
  runsOn: boolean;
  /** How many bytes of its output are left out. */
  omittedBytes: number;
  /** What became of it later. */
  fate: Fate | null;
  state: CallState;
}

const UNKNOWN_EXIT_CODE = -1;

export function outcomeOf(call: ShownCall, fates: Fates): ProcessOutcome {
  const result = fieldsOf(call.result?.result);
  const exitCode = numberOf(result.exit_code);
  const backgroundId = textOf(result.background_process_id) || textOf(fieldsOf(call.args).process_id);
  const isOver = exitCode !== null && exitCode !== UNKNOWN_EXIT_CODE;
  const runsOn = call.result !== null && (result.backgrounded === true || result.running === true || !isOver);
  const state = stateOf(call);
  return {
    output: textOf(result.output),
    error: textOf(result.error),
    exitCode: isOver && !runsOn ? exitCode : null,
    backgroundId,
    runsOn: state === "done" && runsOn,
    omittedBytes: numberOf(fieldsOf(result.truncated).omitted_bytes) ?? 0,
    fate: fates[backgroundId] ?? null,
    state: state === "done" && isOver && exitCode !== 0 ? "failed" : state,
  };
}

/** The programs of a command, as its label: `npm ci, npm test`. */
export function programsOf(parsed: readonly (readonly string[])[] | null | undefined): string {
  return (parsed ?? []).map((words) => words.slice(0, 3).join(" ")).join(", ");
}
