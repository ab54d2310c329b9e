import type { Queued } from "@/api/types";

export function inOrder(queue: readonly Queued[], ids: readonly string[]): readonly Queued[] {
  const place = (queued: Queued) => ids.indexOf(String(queued.id));
  return queue.toSorted((a, b) => place(a) - place(b));
}
