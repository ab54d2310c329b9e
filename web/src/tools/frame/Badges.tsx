import { classes } from "@/lib/classes";
import type { ShownCall } from "@/live/rows/call";

import type { CallState } from "./state";

/** What others decided about a call: a rule or a person. */
export function Badges({ call, state }: { call: ShownCall; state: CallState }) {
  const decision = call.result?.decision;
  return (
    <>
      {call.part?.hook_rewritten && <Badge text="changed by policy" />}
      {state === "denied" && <Badge text={decision ? "denied by a person" : "denied by policy"} bad />}
      {state === "stopped" && <Badge text="stopped" />}
      {state === "waiting" && <Badge text={WAITS[call.progress] ?? "waits"} warn />}
    </>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  awaiting_approval: "needs your approval",
  awaiting_answer: "needs your answer",
  awaiting_result: "waits for your program",
};

export function Badge({ text, bad, warn }: { text: string; bad?: boolean; warn?: boolean }) {
  const look = bad ? "bg-bad-soft text-bad" : warn ? "bg-warn-soft text-warn" : "bg-sunken text-muted";
  return (
    <span className={classes("shrink-0 rounded px-1.5 py-0.5 text-xs whitespace-nowrap", look)}>{text}</span>
  );
}
