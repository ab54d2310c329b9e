// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aChat } from "../../../tests/chats";
import { useTurnLabel } from "./useTurnLabel";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const idle = (last_turn_summary: string) => aChat("a", { status: "waiting", last_turn_summary });
const working = (last_turn_summary: string) => aChat("a", { status: "running", last_turn_summary });

// proves web-ui 4
test("the label of the turn before is not shown after a turn, until a new one comes", () => {
  const { result, rerender } = renderHook(useTurnLabel, { initialProps: idle("Read files") });
  expect(result.current).toBe("Read files");

  rerender(working("Read files"));
  rerender(idle("Read files"));
  expect(result.current).toBeUndefined();

  rerender(idle("Mended tests"));
  expect(result.current).toBe("Mended tests");
});

// proves web-ui 4
test("if none comes within ten seconds, it is shown again", () => {
  const { result, rerender } = renderHook(useTurnLabel, { initialProps: working("Read files") });
  rerender(idle("Read files"));

  act(() => vi.advanceTimersByTime(9_999));
  expect(result.current).toBeUndefined();
  act(() => vi.advanceTimersByTime(1));
  expect(result.current).toBe("Read files");
});
