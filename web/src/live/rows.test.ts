import { expect, test } from "vitest";
import type { Message, Part, PartOf } from "@/api/types";
import { argsSoFar, type ShownCall } from "./call";
import { rowsOf } from "./rows";
import { type ChatView, NEW_VIEW, NOTHING_SAID } from "./view";

function message(id: number, role: Message["role"], ...content: Part[]): Message {
  return { id, chat_id: "chat", role, content, created_at: "2027-01-15T08:00:00Z" };
}

const call = (id: string): Part => ({ type: "tool-call", tool_call_id: id, tool_name: "execute" });
const result = (id: string, value: string, more: Partial<PartOf<"tool-result">> = {}): Part => ({
  type: "tool-result",
  tool_call_id: id,
  tool_name: "execute",
  result: value,
  ...more,
});
const text = (words: string): Part => ({ type: "text", text: words });

function view(messages: Message[], more: Partial<ChatView> = {}): ChatView {
  return { ...NEW_VIEW, status: "running", messages, ...more };
}

function callsOf(shown: ChatView): ShownCall[] {
  return rowsOf(shown).flatMap((row) =>
    row.blocks.flatMap((each) => (each.type === "call" ? [each.call] : [])),
  );
}

test("a result is shown with its call, and has no row of its own", () => {
  const shown = view([message(1, "assistant", call("a")), message(2, "tool", result("a", "done"))]);

  expect(rowsOf(shown)).toHaveLength(1);
  expect(callsOf(shown).map((each) => [each.progress, each.result?.result])).toEqual([["finished", "done"]]);
});

test("a result belongs to the nearest call before it, also when an id is used again", () => {
  const shown = view([
    message(1, "assistant", call("a")),
    message(2, "tool", result("a", "first")),
    message(3, "assistant", call("a")),
    message(4, "tool", result("a", "second")),
  ]);

  expect(callsOf(shown).map((each) => each.result?.result)).toEqual(["first", "second"]);
});

test("what a running tool shows is in the card of its call", () => {
  const preview = {
    ...NOTHING_SAID,
    calls: { a: { id: "a", name: "execute", argsText: "", part: null, output: "line", result: null } },
  };
  const shown = view([message(1, "assistant", call("a"))], { preview });

  expect(callsOf(shown).map((each) => [each.progress, each.output])).toEqual([["running", "line"]]);
});

test("a call without a result will have none when the agent has stopped", () => {
  const messages = [message(1, "assistant", call("a")), message(2, "assistant", call("b"))];

  expect(callsOf(view(messages)).map((each) => each.progress)).toEqual(["interrupted", "running"]);
  expect(callsOf(view(messages, { status: "waiting" })).map((each) => each.progress)).toEqual([
    "interrupted",
    "interrupted",
  ]);
});

test("a call that a stop cut off is told from one that failed, and the end of the turn is told with it", () => {
  const excuse = result("a", "The user interrupted the agent.", { is_error: true });
  const failure = result("b", "No such file", { is_error: true, created_at: "2027-01-15T08:00:00Z" });
  const stopped = { at: "2027-01-15T08:00:01Z", reason: "interrupted" as const };
  const shown = view(
    [
      message(1, "assistant", call("a"), call("b")),
      message(2, "tool", failure),
      { ...message(3, "tool", excuse), turn_end: stopped },
    ],
    { status: "waiting" },
  );

  expect(callsOf(shown).map((each) => each.progress)).toEqual(["interrupted", "finished"]);
  expect(rowsOf(shown).map((row) => row.end)).toEqual([stopped]);
});

test("the message that is saved has the key of the preview that it replaces", () => {
  const preview = {
    ...NOTHING_SAID,
    history: 3,
    attempt: 2,
    seq: 1,
    said: [{ type: "text" as const, text: "Hi" }],
  };
  const saved = { ...message(5, "assistant", text("Hi")), history_version: 3, generation_attempt: 2 };

  expect(rowsOf(view([], { preview })).map((row) => row.key)).toEqual(
    rowsOf(view([saved])).map((row) => row.key),
  );
});

test("rows in which nothing changed stay the same", () => {
  const first = [message(1, "user", text("hello")), message(2, "assistant", call("a"))];
  const before = rowsOf(view(first));
  const after = rowsOf(view([...first, message(3, "tool", result("a", "done"))]));

  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("arguments can be read while they are being said", () => {
  const whole = '{"path": "a.py", "lines": [1, 2], "text": "one, two"}';

  expect(argsSoFar("")).toEqual({});
  expect(argsSoFar('{"path": "a.p')).toEqual({ path: "a.p" });
  expect(argsSoFar('{"path": "a.py", "li')).toEqual({ path: "a.py" });
  for (let end = 0; end <= whole.length; end += 1) argsSoFar(whole.slice(0, end));
  expect(argsSoFar(whole)).toEqual(JSON.parse(whole));
});
