/** What later calls did to processes: a command that runs on may be ended by another call (pure). */
import { fieldsOf, textOf } from "@/lib/json";
import type { ShownCall } from "@/live/rows/call";

export type Fate = "killed" | "terminated";
export type Fates = Readonly<Record<string, Fate>>;

const FATES: Readonly<Record<string, Fate>> = { kill: "killed", terminate: "terminated" };

/** By process id. A signal that failed ended nothing. */
export function fatesIn(calls: Iterable<ShownCall>): Fates {
  const fates: Record<string, Fate> = {};
  for (const call of calls) {
    if (call.name !== "process_signal" || call.result === null || call.result.is_error) continue;
    const args = fieldsOf(call.args);
    const fate = FATES[textOf(args.signal)];
    const id = textOf(args.process_id);
    if (fate && id && fieldsOf(call.result.result).success === true) fates[id] = fate;
  }
  return fates;
}
