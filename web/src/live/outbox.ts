/** What was sent and is not told by the stream yet (pure). */

import type { Part, When } from "@/api/types";
import type { ChatView } from "./view/view";

export interface Sending {
  /** The sender's own name for the message: the server knows it by that, however often it is sent. */
  key: string;
  content: readonly Part[];
  when: When;
  at: string;
  /** What went wrong, in words; null: it is on its way. */
  failed: string | null;
}

/** Without those that the stream tells now, in the history or in the queue. */
export function stillSending(sending: readonly Sending[], view: ChatView): readonly Sending[] {
  if (sending.length === 0) return sending;
  const told = new Set([...view.messages.slice(-50), ...view.queue].map((each) => each.key));
  const left = sending.filter((each) => !told.has(each.key));
  return left.length === sending.length ? sending : left;
}
