import { expect, test } from "vitest";
import { rowsOf } from "@/live/rows/rows";
import { asChatView, type GuestEvent, NOTHING_YET, reduce, withOlder } from "./view";

const said = (id: string, text: string, role: "user" | "assistant" = "assistant") => ({
  id,
  role,
  created_at: "2027-01-15T12:00:00Z",
  content: [{ type: "text" as const, text }],
});

const told = (...events: GuestEvent[]) => events.reduce(reduce, NOTHING_YET);

const words = (view: typeof NOTHING_YET) =>
  view.messages.map(({ message }) =>
    message.content.map((part) => (part.type === "text" ? part.text : "")).join(""),
  );

test("messages are in the order in which they come, and one with a known name replaces it", () => {
  const view = told(
    { type: "chat", chat: { title: "Moons" } },
    { type: "message", message: said("zz", "hello", "user") },
    { type: "message", message: said("aa", "hi") },
    { type: "message", message: said("zz", "hello!", "user") },
  );

  expect(view.title).toBe("Moons");
  expect(words(view)).toEqual(["hello!", "hi"]);
});

test("an older page comes before what is there", () => {
  const view = told(
    { type: "older_messages", before: "x" },
    { type: "message", message: said("c", "three") },
  );

  const older = withOlder(view, [said("b", "two"), said("a", "one")], null);

  expect(words(older)).toEqual(["one", "two", "three"]);
  expect(older.before).toBeNull();
  const numbers = older.messages.map(({ message }) => message.id);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test("what is being said is shown until it is saved, said anew, or the history is another one", () => {
  const part = (text: string): GuestEvent => ({
    type: "message_part",
    role: "assistant",
    part: { type: "text", text },
  });
  const view = told(part("Hel"), part("lo"));

  expect(view.preview.said).toEqual([{ type: "text", text: "Hello" }]);
  expect(reduce(view, { type: "preview_reset" }).preview.said).toEqual([]);
  expect(reduce(view, { type: "gap", what: "history" })).toEqual(NOTHING_YET);
});

test("nothing is left of a chat whose link has ended", () => {
  const view = told(
    { type: "chat", chat: { title: "Moons" } },
    { type: "message", message: said("a", "one") },
    { type: "access_ended" },
  );

  expect(view).toEqual({ ...NOTHING_YET, ended: true });
});

test("an event of a newer server does no harm", () => {
  const strange = { type: "from_the_future" } as unknown as GuestEvent;

  expect(told(strange)).toEqual(NOTHING_YET);
});

test("a result is in the card of its call, and one that shows a file is a picture", () => {
  const media = { type: "file" as const, file_id: "f", media_type: "image/png" };
  const view = told(
    {
      type: "message",
      message: {
        ...said("a", "look"),
        content: [{ type: "tool-call", tool_call_id: "1", tool_name: "read_file" }],
      },
    },
    {
      type: "message",
      message: {
        ...said("b", ""),
        role: "tool",
        content: [{ type: "tool-result", tool_call_id: "1", tool_name: "read_file", media }],
      },
    },
  );

  const [block] = rowsOf(asChatView(view, false)).flatMap((row) => row.blocks);
  expect(block?.type === "call" && block.call.result).toMatchObject({ is_media: true, media });
});
