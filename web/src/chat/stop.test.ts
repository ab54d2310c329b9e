// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { storeOf } from "@/live/store";
import { json, refusal, server } from "../../tests/server";
import { lastSocket } from "../../tests/sockets";
import { stop } from "./stop";

test("a second Escape while a stop is on its way asks for nothing", async () => {
  let answer = (_: Response) => {};
  const held = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const asked = server(() => held);

  const first = stop("a");
  await stop("a");
  answer(json({}));
  await first;

  expect(asked.map((each) => each.what)).toEqual(["POST /api/v1/chats/a/interrupt"]);
});

test("an agent that stops already is left to it", async () => {
  const asked = server();
  const store = storeOf("b");
  store.subscribe(() => undefined);
  lastSocket().tell({ type: "status", status: "interrupting", cursor: "1" });
  await vi.waitFor(() => expect(store.snapshot().view.status).toBe("interrupting"));

  await stop("b");

  expect(asked).toEqual([]);
});

test("one that has ended meanwhile is no failure, and one that cannot be stopped is", async () => {
  server(() => refusal(409, "Cannot interrupt now: the chat is waiting."));
  await stop("c");

  server(() => refusal(403, "Only its owner stops it."));
  await expect(stop("c")).rejects.toThrow("Only its owner stops it.");
});
