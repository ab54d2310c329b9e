// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Message } from "@/api/types";
import { show } from "../../../tests/rendered";
import { ContextRing } from "./ContextRing";

function ring(usage: object | null): SVGElement | null {
  cleanup();
  const said = { id: 1, role: "assistant", content: [], usage } as unknown as Message;
  show(<ContextRing chatId="a-chat" messages={[said]} />);
  return document.querySelector("svg");
}

test("how full the context is, and none where nothing is known of it", () => {
  expect(ring(null)).toBeNull();
  expect(ring({ context_limit: 1_000, context_tokens: 0 })).toBeNull();
  ring({ context_limit: 1_000, context_tokens: 500 });
  expect(screen.getByRole("button", { name: "Context: 50 percent used" })).toBeTruthy();
  ring({ context_limit: 1_000, context_tokens: 1_200 });
  expect(screen.getByRole("button", { name: "Context: 100 percent used" })).toBeTruthy();
});

test("it is in another colour when it is nearly full", () => {
  const colour = (tokens: number) =>
    ring({ context_limit: 1_000, context_tokens: tokens })?.classList.contains("text-warn");
  expect([colour(790), colour(810)]).toEqual([false, true]);
});
