/** A tool call as a card shows it, from what is saved and from what is being said (pure). */

import type { CallProgress, Message, PartOf, WaitingFor } from "@/api/types";
import type { SaidCall } from "../view/view";

export interface ShownCall {
  id: string;
  name: string;
  /** What it was given. Until it was said to its end, what can be read of it already: {} at first. */
  args: unknown;
  /** The arguments as they were said, while they are being said. */
  argsText: string;
  /** `saying`: the model is still at it. `interrupted`: a stop came before its tool was done. */
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

const AWAITING: Record<WaitingFor["kind"], CallProgress> = {
  answer: "awaiting_answer",
  approval: "awaiting_approval",
  result: "awaiting_result",
};

/** `isOpen`: the agent is at the calls of this message. `isStopped`: the turn was stopped while it was. */
export function savedCall(
  part: PartOf<"tool-call">,
  message: Message,
  result: PartOf<"tool-result"> | null,
  waiting: WaitingFor | null,
  isOpen: boolean,
  isStopped: boolean,
): ShownCall {
  return {
    id: part.tool_call_id,
    name: part.tool_name,
    args: part.args ?? {},
    argsText: "",
    progress: progressOf(result, waiting, isOpen, isStopped),
    part,
    result,
    output: "",
    waiting,
    messageId: message.id,
  };
}

function progressOf(
  result: PartOf<"tool-result"> | null,
  waiting: WaitingFor | null,
  isOpen: boolean,
  isStopped: boolean,
): ShownCall["progress"] {
  // What a tool answers has a time; in the place of one that was stopped, the server answers.
  if (result) return isStopped && result.is_error && !result.created_at ? "interrupted" : "finished";
  if (waiting) return AWAITING[waiting.kind];
  return isOpen ? "running" : "interrupted";
}

export function saidCall({ id, name, argsText, part, output, result }: SaidCall): ShownCall {
  return {
    id,
    name,
    args: part ? (part.args ?? {}) : argsSoFar(argsText),
    argsText,
    progress: result ? "finished" : part ? "pending" : "saying",
    part,
    result,
    output,
    waiting: null,
    messageId: null,
  };
}

/** Whole members of an object that is still being written, and what there is of the last one if it is a text. */
export function argsSoFar(text: string): unknown {
  for (const end of ["", '"}', "}", '"]}', "]}"]) {
    try {
      return JSON.parse(text + end);
    } catch {
      // It ends somewhere else: try the next way.
    }
  }
  const whole = text.lastIndexOf(",");
  return whole > 0 ? argsSoFar(text.slice(0, whole)) : {};
}
