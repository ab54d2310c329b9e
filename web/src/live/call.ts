import type { CallProgress, PartOf, WaitingFor } from "@/api/types";

/** A tool call as a card shows it: what was asked, how far it is, and what came of it. */
export interface ShownCall {
  id: string;
  name: string;
  /** What it was given. Until it was said to its end, what can be read of it already: {} at first. */
  args: unknown;
  /** The arguments as they were said, while they are being said. */
  argsText: string;
  /** `saying`: the model is still at it. `interrupted`: it will never have a result. */
  progress: CallProgress | "saying" | "interrupted";
  /** The call as it is in the history; null while it is being said. */
  part: PartOf<"tool-call"> | null;
  /** What came of it; null until then. */
  result: PartOf<"tool-result"> | null;
  /** What a running tool has shown so far. */
  output: string;
  /** What it waits for: an approval, an answer or the result of a client. */
  waiting: WaitingFor | null;
  /** The message that holds it; null while it is being said. */
  messageId: number | null;
}
