// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { type FoldMode, useFold } from "./folds";

test.each<[FoldMode, boolean, boolean]>([
  ["auto", true, true],
  ["auto", false, false],
  ["open", false, true],
  ["closed", true, false],
])("a card that is %s, and would be open by itself: %s", (mode, otherwise, isOpen) => {
  const { result } = renderHook(() => useFold(`${mode} ${otherwise}`, mode, otherwise));
  expect(result.current[0]).toBe(isOpen);
});

test("what a reader has opened or folded is so when its card comes back", () => {
  const first = renderHook(() => useFold("a card", "closed", false));
  act(() => first.result.current[1](true));
  first.unmount();
  expect(renderHook(() => useFold("a card", "closed", false)).result.current[0]).toBe(true);
});
