import { expect, test } from "vitest";
import type { Message, Part, PartOf } from "@/api/types";
import { type ChatView, NEW_VIEW, NOTHING_SAID } from "../view/view";
import { argsSoFar, type ShownCall } from "./call";
import { rowsOf } from "./rows";

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

// proves web-ui 23
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

const read = (id: string): Part => ({ type: "tool-call", tool_call_id: id, tool_name: "read_file" });

/** The names of calls and the words, row by row. */
const outline = (shown: ChatView) =>
  rowsOf(shown).map((row) =>
    row.blocks.map((block) =>
      block.type === "call" ? block.call.id : block.part.type === "text" ? block.part.text : block.part.type,
    ),
  );

// proves web-ui 26
test("reads of several steps are in one row, up to what is said between them", () => {
  const shown = view([
    message(1, "user", text("Look.")),
    message(2, "assistant", text("I read."), read("a")),
    message(3, "tool", result("a", "A")),
    message(4, "assistant", read("b"), read("c")),
    message(5, "tool", result("b", "B"), result("c", "C", { is_error: true })),
    message(6, "assistant", read("d"), text("And now?")),
    message(7, "tool", result("d", "D")),
    message(8, "assistant", read("e")),
  ]);

  expect(outline(shown)).toEqual([["Look."], ["I read.", "a", "b", "c", "d"], ["And now?"], ["e"]]);
  expect(callsOf(shown).map((each) => each.result?.is_error ?? false)).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);
});

test("other calls, thoughts and the end of a turn stand between reads, and thoughts without words do not", () => {
  const thought = (words: string): Part => ({ type: "reasoning", text: words });

  expect(
    outline(view([message(1, "assistant", read("a")), message(2, "assistant", call("b"), read("c"))])),
  ).toEqual([["a"], ["b", "c"]]);
  expect(
    outline(view([message(1, "assistant", read("a")), message(2, "assistant", thought("Hm."), read("b"))])),
  ).toEqual([["a"], ["reasoning", "b"]]);
  expect(
    outline(view([message(1, "assistant", read("a")), message(2, "assistant", thought(""), read("b"))])),
  ).toEqual([["a", "b"]]);
  const ended = { ...message(1, "assistant", read("a")), turn_end: { reason: "interrupted" as const } };
  expect(outline(view([ended as Message, message(2, "assistant", read("b"))]))).toEqual([["a"], ["b"]]);
});

test("a read that is being said is where it will be saved, and one that runs is found there", () => {
  const said = { id: "b", name: "read_file", argsText: "{}", part: null, output: "", result: null };
  const preview = {
    ...NOTHING_SAID,
    history: 2,
    attempt: 1,
    said: [{ type: "call" as const, id: "b" }],
    calls: { b: said },
  };
  const before = [message(1, "assistant", read("a")), message(2, "tool", result("a", "A"))];

  expect(outline(view(before, { preview }))).toEqual([["a", "b"]]);

  const running = { ...NOTHING_SAID, calls: { b: { ...said, output: "so far" } } };
  const saved = view([...before, message(3, "assistant", read("b"), text("Then."))], { preview: running });
  expect(outline(saved)).toEqual([["a", "b"], ["Then."]]);
  expect(callsOf(saved).map((each) => each.output)).toEqual(["", "so far"]);
});

test("a row of reads stays the same object while something else is said", () => {
  const messages = [message(1, "assistant", read("a")), message(2, "assistant", read("b"))];
  const later = [...messages, message(3, "user", text("Go on."))];

  const [row] = rowsOf(view(messages, { status: "waiting" }));
  expect(rowsOf(view(later, { status: "waiting" }))[0]).toBe(row);
});
