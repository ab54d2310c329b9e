/** How pieces become the message that is being said (pure). */

import type { LivePart, PartOf, ToolCallPiece, ToolResultPiece, ViewerEvent } from "@/api/types";
import { NOTHING_SAID, type Preview, type Said, type SaidCall } from "./view";

type Spoken = Extract<ViewerEvent, { type: "message_part" }>;

/** With one more piece. A piece of another attempt begins anew; one of an older, or a known one, is not new. */
export function spoken(preview: Preview, event: Spoken): Preview {
  const { history_version: history, generation_attempt: attempt, seq } = event;
  if (history < preview.history || (history === preview.history && attempt < preview.attempt)) return preview;
  const same = history === preview.history && attempt === preview.attempt;
  if (same && seq <= preview.seq) return preview;
  const begun = same || preview.history === 0 ? preview : NOTHING_SAID;
  return { ...withPart(begun, event.part), history, attempt, seq };
}

function withPart(preview: Preview, part: LivePart): Preview {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...preview, said: withWords(preview.said, part) };
    case "source":
    case "file":
      return { ...preview, said: [...preview.said, part] };
    case "tool-call":
      return withCall(preview, part.tool_call_id, (call) => called(call, part), true);
    case "tool-result":
      return withCall(preview, part.tool_call_id, (call) => resulted(call, part), false);
    default:
      // What can only be in a saved message is not said live.
      return preview;
  }
}

function withWords(said: readonly Said[], part: PartOf<"text"> | PartOf<"reasoning">): readonly Said[] {
  const last = said.at(-1);
  if (last?.type !== part.type || ("completed_at" in last && last.completed_at)) return [...said, part];
  const longer =
    part.type === "text"
      ? { ...last, text: last.text + part.text }
      : { ...last, text: last.text + part.text, completed_at: part.completed_at };
  return said.with(-1, longer);
}

/** A call that was saved with its message only has results here: it has no place of its own. */
function withCall(
  preview: Preview,
  id: string,
  change: (call: SaidCall) => SaidCall,
  isPlaced: boolean,
): Preview {
  const known = preview.calls[id];
  const call = known ?? { id, name: "", argsText: "", part: null, output: "", result: null };
  const calls = { ...preview.calls, [id]: change(call) };
  const said = known || !isPlaced ? preview.said : [...preview.said, { type: "call" as const, id }];
  return { ...preview, said, calls };
}

function called(call: SaidCall, part: PartOf<"tool-call"> | ToolCallPiece): SaidCall {
  const name = part.tool_name || call.name;
  if ("args_delta" in part) return { ...call, name, argsText: call.argsText + part.args_delta };
  return { ...call, name, part };
}

function resulted(call: SaidCall, part: PartOf<"tool-result"> | ToolResultPiece): SaidCall {
  const name = part.tool_name || call.name;
  if (!("result_delta" in part)) return { ...call, name, result: part };
  const output = (part.result_reset ? "" : call.output) + part.result_delta;
  const startedAt = part.started_at ?? call.startedAt;
  return { ...call, name, output, ...(startedAt && { startedAt }) };
}
