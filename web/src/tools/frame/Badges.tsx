import { classes } from "@/lib/classes";
import type { ShownCall } from "@/live/rows/call";

import { useSurroundings } from "../actions";
import type { CallState } from "./state";

/** What others decided about a call: a rule or a person. */
export function Badges({ call, state }: { call: ShownCall; state: CallState }) {
  const decision = call.result?.decision;
  const { mayApprove } = useSurroundings();
  const waits = (mayApprove ? WAITS : WAITS_FOR_OTHERS)[call.progress] ?? "waits";
  return (
    <>
      {call.part?.hook_rewritten && <Badge text="changed by policy" />}
      {state === "denied" && <Badge text={decision ? "denied by a person" : "denied by policy"} bad />}
      {state === "stopped" && <Badge text="stopped" />}
      {state === "waiting" && <Badge text={waits} warn />}
    </>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  awaiting_approval: "needs your approval",
  awaiting_answer: "needs your answer",
  awaiting_result: "waits for your program",
};

/** The same for those who only look on, or may no more than speak. */
const WAITS_FOR_OTHERS: typeof WAITS = {
  awaiting_approval: "needs approval",
  awaiting_answer: "needs an answer",
  awaiting_result: "waits for a program",
};

export function Badge({ text, bad, warn }: { text: string; bad?: boolean; warn?: boolean }) {
  const look = bad ? "bg-bad-soft text-bad" : warn ? "bg-warn-soft text-warn" : "bg-sunken text-muted";
  return (
    <span className={classes("shrink-0 rounded px-1.5 py-0.5 text-xs whitespace-nowrap", look)}>{text}</span>
  );
}
