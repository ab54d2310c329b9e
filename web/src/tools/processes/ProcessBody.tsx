import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import type { ShownCall } from "@/live/rows/call";

import { Badge } from "../frame/Badges";
import { Output } from "../frame/Output";
import type { ProcessOutcome } from "./outcome";

/** What a process has printed, while it runs and after. */
export function ProcessBody({ call, outcome }: { call: ShownCall; outcome: ProcessOutcome }) {
  const live = call.result === null;
  const text = live ? call.output : outcome.output;
  return (
    <>
      {text && <Output text={text} label="Output" live={live} />}
      {!text && !outcome.error && (
        <p className="text-sm text-muted">{live ? "No output yet." : "No output."}</p>
      )}
      {outcome.omittedBytes > 0 && (
        <p className="mt-1 text-xs text-muted">
          {plural(outcome.omittedBytes, "byte")} in its middle are left out.
        </p>
      )}
      {outcome.error && <p className="mt-1 text-sm break-words text-muted">{visible(outcome.error)}</p>}
    </>
  );
}

/** How a process ended, in a word. */
export function Ending({ outcome }: { outcome: ProcessOutcome }) {
  if (outcome.fate) return <Badge text={outcome.fate} />;
  if (outcome.runsOn) return <Badge text="runs on" />;
  if (outcome.exitCode) return <Badge text={`exit ${outcome.exitCode}`} bad />;
  return null;
}
