import { useEffect, useState } from "react";

import { duration } from "@/lib/time";
import type { ShownCall } from "@/live/rows/call";

import type { CallState } from "./state";

// What takes less is not worth a number.
const WORTH_MS = 1_000;

/** How long a call took, or has taken so far. */
export function Elapsed({ call, state }: { call: ShownCall; state: CallState }) {
  const took = call.result?.duration_ms;
  if (took !== undefined && took !== null) return took < WORTH_MS ? null : <Took ms={took} />;
  const since = call.part?.created_at;
  return state === "running" && since ? <Running since={since} /> : null;
}

/** Its own leaf: it changes every second. */
function Running({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ms = now - new Date(since).getTime();
  return ms >= 2 * WORTH_MS ? <Took ms={Math.floor(ms / 1000) * 1000} /> : null;
}

function Took({ ms }: { ms: number }) {
  return <span className="shrink-0 text-xs text-muted tabular-nums">{duration(ms)}</span>;
}
