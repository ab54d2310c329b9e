import { expect, test } from "vitest";
import { pauseMs } from "./socket";

test("pauses grow to a bound, and are never the same for all who come back", () => {
  expect(pauseMs(0, 1)).toBe(300);
  expect(pauseMs(0, 0)).toBe(150);
  expect(pauseMs(3, 1)).toBe(2400);
  expect(pauseMs(500, 1)).toBe(15_000);
  expect(pauseMs(500, 0)).toBe(7_500);
});
