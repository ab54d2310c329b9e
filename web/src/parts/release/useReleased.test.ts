// @vitest-environment jsdom
import { renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useReleased } from "./useReleased";

afterEach(() => vi.unstubAllGlobals());

function firstSight(isStill: boolean): string {
  vi.stubGlobal("matchMedia", () => ({ matches: isStill }));
  const { result, rerender } = renderHook(({ text }) => useReleased(text, true), {
    initialProps: { text: "A" },
  });
  rerender({ text: "A long sentence, all at once." });
  return result.current;
}

// proves web-ui 68
test("where motion is unwelcome, words are there at once", () => {
  expect(firstSight(true)).toBe("A long sentence, all at once.");
  expect(firstSight(false)).toBe("A");
});
