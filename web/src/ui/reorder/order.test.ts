import { expect, test } from "vitest";
import { moved, placeAt } from "./order";

test("an item moves to a place among the others", () => {
  expect(moved(["a", "b", "c"], "c", 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], "a", 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], "a", 2)).toEqual(["b", "c", "a"]);
});

test("what is held belongs behind those whose middle it has passed", () => {
  expect(placeAt([10, 30], 5)).toBe(0);
  expect(placeAt([10, 30], 20)).toBe(1);
  expect(placeAt([10, 30], 90)).toBe(2);
});
