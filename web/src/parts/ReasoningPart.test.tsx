// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import type { PartOf } from "@/api/types";
import { type Preference, prefer } from "@/lib/kept/preferences";
import type { PartProps } from "./index";
import { ReasoningPart } from "./ReasoningPart";

afterEach(() => {
  cleanup();
  prefer("show.reasoning", "auto");
});

const THOUGHT = "I had better look first.";
const BEGAN = "2027-01-15T08:00:00Z";

function think(mode: Preference<"show.reasoning">, ended: string | null): void {
  prefer("show.reasoning", mode);
  const part: PartOf<"reasoning"> = {
    type: "reasoning",
    text: THOUGHT,
    created_at: BEGAN,
    completed_at: ended,
  };
  const shown: PartProps<"reasoning"> = { part, chatId: "a-chat", role: "assistant", live: ended === null };
  render(<ReasoningPart {...shown} />);
}

const isOpen = () => screen.getByRole("button").getAttribute("aria-expanded") === "true";

describe("thinking is shown as its reader likes it", () => {
  test.each([
    { mode: "auto", meanwhile: true, afterwards: false },
    { mode: "preview", meanwhile: true, afterwards: true },
    { mode: "open", meanwhile: true, afterwards: true },
    { mode: "closed", meanwhile: false, afterwards: false },
  ] as const)("$mode", ({ mode, meanwhile, afterwards }) => {
    think(mode, null);
    expect(isOpen()).toBe(meanwhile);
    cleanup();
    think(mode, "2027-01-15T08:00:05Z");
    expect(isOpen()).toBe(afterwards);
  });

  test("what is folded says how long it took, and opens", () => {
    think("auto", "2027-01-15T08:00:05Z");
    expect(screen.queryByText(THOUGHT)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /^Thought for 5/ }));
    expect(screen.getByText(THOUGHT)).toBeTruthy();
  });
});
