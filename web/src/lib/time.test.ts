import { expect, test } from "vitest";
import { ago, duration, moment } from "./time";

const NOW = Date.parse("2027-01-15T08:00:00Z");

test("how long ago is told in the largest unit that fits", () => {
  const before = (seconds: number) => ago(NOW - seconds * 1000, NOW);

  expect([5, 60, 3599, 3600, 86_399, 86_400, 6 * 86_400].map(before)).toEqual([
    "now",
    "1m",
    "59m",
    "1h",
    "23h",
    "1d",
    "6d",
  ]);
});

test("a clock that runs ahead and a moment that is none do no harm", () => {
  expect(ago(NOW + 60_000, NOW)).toBe("now");
  expect(ago("never", NOW)).toBe("");
  expect(moment("never")).toBe("");
});

test("a duration is told as precisely as it matters", () => {
  expect([400, 12_400, 200_000, 7_260_000].map(duration)).toEqual([
    "0.4 s",
    "12 s",
    "3 min 20 s",
    "2 h 1 min",
  ]);
});
