import { CircleCheck, CircleX } from "lucide-react";
import type { ProbeResult } from "@/api/catalog/providers";
import { sentence } from "@/api/errors";
import { classes } from "@/lib/classes";
import { duration } from "@/lib/time";

interface ProbeProps {
  /** What came of the last test. */
  result: Pick<ProbeResult, "is_well" | "says" | "milliseconds"> | null;
  /** Why there was none. */
  error: unknown;
}

/** What a model or server answered when it was tried. */
export function Probe({ result, error }: ProbeProps) {
  if (result === null && !error) return null;
  const isWell = result?.is_well ?? false;
  const Icon = isWell ? CircleCheck : CircleX;
  return (
    <div
      role="status"
      className={classes(
        "flex items-start gap-2 rounded-md px-3 py-2 text-sm",
        isWell ? "bg-good-soft text-good" : "bg-bad-soft text-bad",
      )}
    >
      <Icon aria-hidden size={16} className="mt-0.5 shrink-0" />
      <p className="min-w-0 flex-1 break-words">{result ? result.says : sentence(error)}</p>
      {result && <span className="shrink-0 tabular-nums">{duration(result.milliseconds)}</span>}
    </div>
  );
}
