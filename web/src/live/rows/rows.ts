/**
 * A view as rows of a transcript (pure).
 *
 * A result of a tool is shown in the card of its call, so messages of tools have no row of their own. A row
 * stays the same object while nothing in it changes: then it is not drawn again.
 */

import type { Message, Part, PartOf, Role, TurnEnd, WaitingFor } from "@/api/types";
import type { ChatView, Preview, SaidCall } from "../view/view";
import { type ShownCall, saidCall, savedCall } from "./call";
import { withReadsTogether } from "./reads";
import { remembering } from "./remembering";

export type ShownPart = Exclude<Part, { type: "tool-call" } | { type: "tool-result" }>;

export type Block =
  | { type: "part"; key: string; part: ShownPart }
  | { type: "call"; key: string; call: ShownCall };

export interface Row {
  /** The same for a preview and for the message that is saved of it, so that one becomes the other in place. */
  key: string;
  role: Role;
  blocks: readonly Block[];
  /** Null while it is being said. */
  message: Message | null;
  /** How the turn ended, if it did with this message or with what came of its calls. */
  end: TurnEnd | null;
}

/** What came of the calls of one message, by id; and how the turn ended, if it did with that. */
interface Outcome {
  results: Map<string, PartOf<"tool-result">>;
  end: TurnEnd | null;
}

/** In these statuses the calls of the last message run, or are about to. */
const WORKING = new Set(["running", "requires_action", "interrupting"]);

export function rowsOf(view: ChatView): readonly Row[] {
  const isWorking = view.status !== null && WORKING.has(view.status);
  const saved = withLiveCalls(savedRows(view.messages, view.waitingFor, isWorking), view.preview);
  const said = previewRow(view.preview);
  if (said === null) return saved;
  return [...saved.slice(0, -1), ...withReadsTogether([...saved.slice(-1), said])];
}

interface Saved {
  messages: readonly Message[];
  waitingFor: readonly WaitingFor[];
  isWorking: boolean;
  rows: readonly Row[];
}

/** While something is being said, what is saved stays the same: it is not gone through again. */
const lastSaved: { of: Saved | null } = { of: null };

function savedRows(
  messages: readonly Message[],
  waitingFor: readonly WaitingFor[],
  isWorking: boolean,
): readonly Row[] {
  const last = lastSaved.of;
  if (last?.messages === messages && last.waitingFor === waitingFor && last.isWorking === isWorking) {
    return last.rows;
  }
  const outcomes = outcomesOf(messages);
  const newest = messages.findLastIndex((each) => each.role === "assistant");
  const shown = messages
    .map((message, index) =>
      savedRow(message, outcomes.get(index), waitingFor, isWorking && index === newest),
    )
    .filter((row) => row.blocks.length > 0);
  const rows = withReadsTogether(shown);
  lastSaved.of = { messages, waitingFor, isWorking, rows };
  return rows;
}

/** By the place of the message with the call. A call may have the id of an earlier one: the nearest counts. */
function outcomesOf(messages: readonly Message[]): ReadonlyMap<number, Outcome> {
  const asked = new Map<string, number>();
  const outcomes = new Map<number, Outcome>();
  for (const [index, { content, turn_end }] of messages.entries()) {
    for (const part of content) {
      if (part.type === "tool-call") asked.set(part.tool_call_id, index);
      if (part.type !== "tool-result") continue;
      const place = asked.get(part.tool_call_id);
      if (place === undefined) continue;
      const outcome: Outcome = outcomes.get(place) ?? { results: new Map(), end: null };
      outcome.results.set(part.tool_call_id, part);
      outcomes.set(place, { ...outcome, end: turn_end ?? outcome.end });
    }
  }
  return outcomes;
}

const byMessage = remembering<Message, Row>();

function savedRow(
  message: Message,
  outcome: Outcome | undefined,
  waitingFor: readonly WaitingFor[],
  isOpen: boolean,
): Row {
  const waiting = waitingFor.filter((each) => each.message_id === message.id);
  const end = message.turn_end ?? outcome?.end ?? null;
  const facts = [isOpen, end, ...waiting, ...(outcome?.results.values() ?? [])];
  return byMessage(message, facts, () => ({
    key: keyOf(message),
    role: message.role,
    message,
    end,
    blocks: message.content.flatMap((part, index): Block[] => {
      const key = String(index);
      if (part.type === "tool-result" || isEmptyThought(part)) return [];
      if (part.type !== "tool-call") return [{ type: "part", key, part }];
      const result = outcome?.results.get(part.tool_call_id) ?? null;
      const asked = waiting.find((each) => each.tool_call_id === part.tool_call_id) ?? null;
      const call = savedCall(part, message, result, asked, isOpen, end?.reason === "interrupted");
      return [{ type: "call", key: part.tool_call_id, call }];
    }),
  }));
}

function keyOf({ id, history_version, generation_attempt }: Message): string {
  return history_version && generation_attempt ? episodeKey(history_version, generation_attempt) : `m${id}`;
}

const episodeKey = (history: number, attempt: number) => `e${history}.${attempt}`;

/** The newest message, and reads at its beginning that are shown in the row before. */
const ROWS_WITH_LIVE_CALLS = 2;

/** What running tools show goes to the cards of their calls. */
function withLiveCalls(rows: readonly Row[], preview: Preview): readonly Row[] {
  const placed = new Set(preview.said.map((each) => (each.type === "call" ? each.id : "")));
  const running = Object.values(preview.calls).filter((call) => !placed.has(call.id));
  if (running.length === 0) return rows;
  const live = new Map(running.map((call) => [call.id, call]));
  const from = rows.findLastIndex((row) => row.role === "assistant") - ROWS_WITH_LIVE_CALLS + 1;
  return rows.map((row, index) => (index < from || row.role !== "assistant" ? row : withLive(row, live)));
}

function withLive(row: Row, live: ReadonlyMap<string, SaidCall>): Row {
  const blocks = row.blocks.map((block): Block => {
    const said = block.type === "call" && block.call.result === null ? live.get(block.call.id) : undefined;
    if (block.type !== "call" || said === undefined) return block;
    const { output, result } = said;
    return { ...block, call: { ...block.call, output, result, progress: result ? "finished" : "running" } };
  });
  return blocks.every((block, index) => block === row.blocks[index]) ? row : { ...row, blocks };
}

/** Some providers send their thoughts sealed: there is nothing to show. */
const isEmptyThought = (part: Part): boolean => part.type === "reasoning" && part.text.trim() === "";

/** The message that is being said, as it is so far. */
function previewRow(preview: Preview): Row | null {
  if (preview.said.length === 0) return null;
  const blocks = preview.said.flatMap((each, index): Block[] => {
    if (each.type !== "call") return [{ type: "part", key: String(index), part: each }];
    const call = preview.calls[each.id];
    return call ? [{ type: "call", key: each.id, call: saidCall(call) }] : [];
  });
  return {
    key: episodeKey(preview.history, preview.attempt),
    role: "assistant",
    message: null,
    end: null,
    blocks,
  };
}
