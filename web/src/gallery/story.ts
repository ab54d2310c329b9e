/** A story: some blocks of a message in one state, as the page of a chat would show them. */
import type { PartOf, Role, WaitingFor } from "@/api/types";
import type { ShownCall } from "@/live/rows/call";
import type { Block, ShownPart } from "@/live/rows/rows";

export interface Story {
  /** The state that it shows. */
  name: string;
  blocks: readonly Block[];
  role?: Role;
  /** It is still being said. */
  live?: boolean;
  /** The chat can only be read. */
  readOnly?: boolean;
}

export interface Chapter {
  name: string;
  stories: readonly Story[];
}

const BEGAN = new Date(Date.now() - 4_000).toISOString();
let counted = 0;

export function part(shown: ShownPart): Block {
  counted += 1;
  return { type: "part", key: `part-${counted}`, part: shown };
}

export const text = (words: string): Block => part({ type: "text", text: words });

interface Outcome extends Partial<Omit<ShownCall, "result" | "waiting" | "part">> {
  result?: unknown;
  /** It failed with this. */
  error?: string;
  durationMs?: number;
  /** What the tool has shown: a file, or something inside of its result. */
  media?: PartOf<"file"> | true;
  decision?: PartOf<"tool-result">["decision"];
  waiting?: Partial<WaitingFor>;
  part?: Partial<PartOf<"tool-call">>;
}

/** A call of this tool. It runs, unless a result or something else says otherwise. */
export function call(name: string, args: unknown, outcome: Outcome = {}): Block {
  counted += 1;
  const id = `call-${counted}`;
  const { result, error, durationMs, media, decision, waiting, part: told, ...rest } = outcome;
  const isOver = result !== undefined || error !== undefined;
  const asked: WaitingFor | null = waiting
    ? {
        tool_call_id: id,
        message_id: counted,
        tool_name: name,
        args,
        kind: "approval",
        deadline: null,
        ...waiting,
      }
    : null;
  const shown: ShownCall = {
    id,
    name,
    args,
    argsText: "",
    progress: isOver ? "finished" : asked ? AWAITED[asked.kind] : "running",
    part: { type: "tool-call", tool_call_id: id, tool_name: name, args, created_at: BEGAN, ...told },
    result: isOver
      ? {
          type: "tool-result",
          tool_call_id: id,
          tool_name: name,
          result: error === undefined ? result : { error },
          is_error: error !== undefined,
          is_media: media !== undefined,
          media: media === true ? null : (media ?? null),
          duration_ms: durationMs ?? 400,
          decision: decision ?? null,
        }
      : null,
    output: "",
    waiting: asked,
    messageId: counted,
    ...rest,
  };
  return { type: "call", key: id, call: shown };
}

const AWAITED: Readonly<Record<WaitingFor["kind"], ShownCall["progress"]>> = {
  approval: "awaiting_approval",
  answer: "awaiting_answer",
  result: "awaiting_result",
};

/** The model is still at the arguments. */
export function saying(name: string, argsText: string, args: unknown = {}): Block {
  const block = call(name, args, { argsText, progress: "saying" });
  return block.type === "call" ? { ...block, call: { ...block.call, part: null, messageId: null } } : block;
}

export const story = (name: string, ...blocks: Block[]): Story => ({ name, blocks });
