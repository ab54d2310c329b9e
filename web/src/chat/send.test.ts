// @vitest-environment jsdom
import { expect, test } from "vitest";
import { storeOf } from "@/live/store";
import { json, refusal, server } from "../../tests/server";
import { type Outgoing, send } from "./send";

const message = (text: string): Outgoing => ({
  content: [{ type: "text", text }],
  when: "queue",
  model: null,
  effort: null,
});

const failures = (chatId: string) =>
  storeOf(chatId)
    .snapshot()
    .sending.map((each) => each.failed);

// proves web-ui 66
test("what comes back for one chat changes nothing in another that was opened meanwhile", async () => {
  let answer = (_: Response) => {};
  const held = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  server(() => held);
  const sent = send("first", message("Hello."));
  const other = storeOf("second").snapshot();

  answer(json({ queued: false }));
  await sent;

  expect(storeOf("second").snapshot()).toBe(other);
  expect(failures("first")).toEqual([null]);
});

test("a message that did not arrive stays, with why", async () => {
  server(() => refusal(503, "The database is away."));
  await send("third", message("Hello."));

  expect(failures("third")).toEqual(["The database is away."]);
});
