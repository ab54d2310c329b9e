import type { TurnEnd as End } from "@/api/types";

/** How a turn ended, where it did not just end. */
const WORDS: Partial<Record<NonNullable<End["reason"]>, string>> = {
  interrupted: "Stopped",
  max_steps: "Ended after as many steps as a turn may have",
  max_tokens: "Cut off at the limit of the model",
};

export function TurnEnd({ end }: { end: End }) {
  const words = end.error ? "Failed" : end.reason && WORDS[end.reason];
  if (!words) return null;
  return <span className="rounded bg-sunken px-1.5 py-0.5">{words}</span>;
}
