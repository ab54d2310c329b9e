import { useEffect, useState } from "react";
import type { RowChat } from "@/api/chats/chats";
import { isAtWork } from "../activity";

/** A model takes a moment to write about a turn. If it does not, the words about the one before are true again. */
const STALE_MS = 10_000;

/** What the last turn came to; undefined while that is still said of the turn before it. */
export function useTurnLabel({ status, last_turn_summary: label }: RowChat): string | undefined {
  const isWorking = isAtWork(status);
  const [stale, setStale] = useState<string | undefined>();
  useEffect(() => {
    if (isWorking) return setStale(label);
    const timer = setTimeout(() => setStale(undefined), STALE_MS);
    return () => clearTimeout(timer);
  }, [isWorking, label]);
  return label === stale ? undefined : label;
}
