// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RowChat } from "@/api/chats/chats";
import { aChat } from "../../../tests/chats";
import { show } from "../../../tests/rendered";
import { ChatRow } from "./ChatRow";

function rowOf(chat: RowChat): string {
  show(<ChatRow chat={chat} href="/chats/a" isOpen={false} isBusy={false} items={[]} />);
  return screen.getByRole("link").textContent ?? "";
}

// proves web-ui 2
test("a chat that works says so with its icon and its second line", () => {
  expect(rowOf(aChat("Tidy up", { status: "running", last_turn_summary: "Read files" }))).toMatch(
    /^WorkingTidy upWorking…/,
  );
});

test("one that waits for somebody, and one that failed, are told apart in words", () => {
  expect(rowOf(aChat("Tidy up", { status: "requires_action" }))).toMatch(/^Needs youTidy upNeeds you/);
});

// proves web-ui 3
test("why a chat has failed is told before what its last turn came to", () => {
  const last_error = { message: "The key was refused.", kind: "auth", retryable: false };
  const chat = aChat("Tidy up", { status: "error", last_error, last_turn_summary: "Read files" });

  expect(rowOf(chat)).toMatch(/^FailedTidy upThe key was refused\./);
});
