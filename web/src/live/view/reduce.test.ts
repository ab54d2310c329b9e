import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LivePart, Message, ViewerEvent } from "@/api/types";
import { reconnected, reduce, reduceAll, withOlder } from "./reduce";
import { type ChatView, NEW_VIEW } from "./view";

const RECORDINGS = join(import.meta.dirname, "../../../../tests/recordings");

interface Recording {
  events: ViewerEvent[];
  picture: Record<string, unknown>;
}

function read(name: string): Recording {
  const lines = readFileSync(join(RECORDINGS, name), "utf8").trim().split("\n");
  const told = lines.map((line) => JSON.parse(line));
  return { events: told.slice(0, -1), picture: told.at(-1).picture };
}

const words = (content: Message["content"]) =>
  content.map((part) => ("text" in part ? part.text : "")).join("");

function said({ preview }: ChatView): string {
  const calls = Object.values(preview.calls).map((call) => call.argsText + call.output);
  return preview.said.map((each) => ("text" in each ? each.text : "")).join("") + calls.join("");
}

/** In the same words as tests/live/recordings.py. */
function shown(view: ChatView) {
  return {
    messages: view.messages.map((each) => [each.id, words(each.content)]),
    older_than: view.olderThan,
    queue: view.queue.map((each) => words(each.content)),
    status: view.status,
    error: view.error?.message ?? null,
    waiting: view.waitingFor.map((each) => each.tool_call_id),
    retry: view.retry?.attempt ?? null,
    said: said(view),
    cursor: view.cursor,
  };
}

const recordings = readdirSync(RECORDINGS).filter((name) => name.endsWith(".jsonl"));

describe.each(recordings)("%s", (name) => {
  const { events, picture } = read(name);

  test("leads to its picture", () => {
    expect(shown(reduceAll(NEW_VIEW, events))).toEqual(picture);
  });

  test("leads there too when each piece and each message comes twice", () => {
    const twice = events.flatMap((event): ViewerEvent[] =>
      event.type === "message_part" || event.type === "message" ? [event, event] : [event],
    );

    expect(shown(reduceAll(NEW_VIEW, twice))).toEqual(picture);
  });
});

const about = { chat_id: "chat", cursor: "1" };

const message = (id: number, text = `message ${id}`): Message => ({
  id,
  chat_id: "chat",
  role: "user",
  content: [{ type: "text", text }],
  created_at: "2027-01-15T08:00:00Z",
});

const part = (seq: number, part: LivePart, attempt = 1): ViewerEvent => ({
  ...about,
  type: "message_part",
  role: "assistant",
  part,
  history_version: 1,
  generation_attempt: attempt,
  seq,
});

const text = (seq: number, words: string, attempt = 1) => part(seq, { type: "text", text: words }, attempt);

// proves web-ui 64
test("what was known stays on screen until what replaces it is whole", () => {
  const old = reduce(NEW_VIEW, { ...about, type: "message", message: message(1, "old") });
  const gap: ViewerEvent = { ...about, type: "gap", what: "history" };

  const half = reduceAll(old, [gap, { ...about, type: "message", message: message(1, "new") }]);
  const whole = reduce(half, { ...about, type: "status", status: "waiting" });

  expect(half.messages.map((each) => words(each.content))).toEqual(["old"]);
  expect(whole.messages.map((each) => words(each.content))).toEqual(["new"]);
  expect(whole.replacement).toBeNull();
});

test("a newer gap takes the place of one that was not finished", () => {
  const gap: ViewerEvent = { ...about, type: "gap", what: "history" };
  const half = reduceAll(NEW_VIEW, [gap, { ...about, type: "message", message: message(1) }, gap]);

  expect(reduce(half, { ...about, type: "status", status: "waiting" }).messages).toEqual([]);
});

// proves web-ui 65
test("pieces of an earlier attempt and pieces that are known are ignored", () => {
  const view = reduceAll(NEW_VIEW, [text(1, "a", 2), text(1, "old", 1), text(2, "b", 2), text(2, "b", 2)]);

  expect(said(view)).toBe("ab");
});

test("pieces that come while the chat waits are leftovers", () => {
  const view = reduceAll(NEW_VIEW, [{ ...about, type: "status", status: "waiting" }, text(1, "late")]);

  expect(said(view)).toBe("");
});

test("a newer attempt begins anew also when its reset was lost", () => {
  expect(said(reduceAll(NEW_VIEW, [text(1, "half"), text(1, "whole", 2)]))).toBe("whole");
});

test("what a tool shows can begin anew", () => {
  const output = (seq: number, result_delta: string, result_reset = false) =>
    part(seq, { type: "tool-result", tool_call_id: "a", tool_name: "t", result_delta, result_reset });
  const view = reduceAll(NEW_VIEW, [output(1, "10 %"), output(2, "20 %", true), output(3, " done")]);

  expect(view.preview.calls.a?.output).toBe("20 % done");
});

test("a status other than error ends the error, and an event of a newer server does no harm", () => {
  const failed = reduceAll(NEW_VIEW, [
    { ...about, type: "status", status: "error" },
    { ...about, type: "error", message: "gone", kind: "generic", retryable: false },
  ]);
  const strange = { ...about, type: "from_the_future", cursor: "9" } as unknown as ViewerEvent;

  expect(failed.error?.message).toBe("gone");
  expect(reduce(failed, { ...about, type: "status", status: "running" }).error).toBeNull();
  expect(reduce(failed, strange)).toEqual({ ...failed, cursor: "9" });
});

test("an older page neither replaces what the stream told nor brings back what it deleted", () => {
  const view = { ...NEW_VIEW, olderThan: 5, messages: [message(4, "new"), message(5)] };

  const older = withOlder(view, [message(4, "old"), message(3), message(2)], true, new Set([2]));

  expect(older.messages.map((each) => [each.id, words(each.content)])).toEqual([
    [3, "message 3"],
    [4, "new"],
    [5, "message 5"],
  ]);
  expect(older.olderThan).toBe(2);
  expect(withOlder(view, [], false, new Set()).olderThan).toBeNull();
});

test("that words come late is known until they come again, the turn ends, or the connection is lost", () => {
  const running = reduce(NEW_VIEW, { ...about, type: "status", status: "running" });
  const paused = reduce(running, { ...about, type: "preview_paused", paused: true });

  expect(paused.paused).toBe(true);
  expect(reduce(paused, { ...about, type: "preview_paused", paused: false }).paused).toBe(false);
  expect(reduce(paused, { ...about, type: "status", status: "waiting" }).paused).toBe(false);
  expect(reconnected(paused).paused).toBe(false);
});
