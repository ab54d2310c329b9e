import { expect, test } from "vitest";
import { changesOf, problemOf, turnsOff } from "./thresholds";

test("a threshold is a whole percentage, or nothing", () => {
  expect(["", " ", "0", "70", "100"].map(problemOf)).toEqual([null, null, null, null, null]);
  for (const wrong of ["101", "-1", "7.5", "seventy", "1e9"])
    expect(problemOf(wrong)).toMatch(/whole number/);
});

// proves web-ui 61
test("only 100 turns compaction off", () => {
  expect(["", "0", "99", "100", " 100 ", "1000"].map(turnsOff)).toEqual([
    false,
    false,
    false,
    true,
    true,
    false,
  ]);
});

test("only what differs is told, and what is empty is taken back", () => {
  expect(changesOf({ a: 50, b: 60, c: 70 }, { a: "50", b: "", c: "80", d: "", e: "90" })).toEqual({
    b: null,
    c: 80,
    e: 90,
  });
});
