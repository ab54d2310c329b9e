// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { type ChatView, NEW_VIEW } from "@/live/view/view";
import { show } from "../../../tests/rendered";
import { Thinking } from "./Thinking";

const RUNNING: ChatView = { ...NEW_VIEW, status: "running" };

function said(view: Partial<ChatView>): string | null {
  cleanup();
  show(<Thinking view={{ ...RUNNING, ...view }} rows={[]} />);
  return screen.queryByRole("status")?.textContent ?? null;
}

test("what an agent waits for is told in words, and nothing where nothing goes on", () => {
  expect(said({})).toBe("Thinking");
  expect(said({ heldUp: { reason: "slot" } as ChatView["heldUp"] })).toContain("many chats are at work");
  expect(said({ heldUp: { reason: "provider", provider: "acme" } as ChatView["heldUp"] })).toBe(
    "Waiting for acme to answer",
  );
  expect(said({ paused: true } as Partial<ChatView>)).toContain("its words come late");
  expect(said({ preview: { ...NEW_VIEW.preview, cut: true } })).toContain("The reply is long");
  expect(said({ status: "waiting" })).toBeNull();
});
