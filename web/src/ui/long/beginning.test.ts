import { expect, test } from "vitest";
import { beginningOf, CHARACTERS_FIRST, endOf } from "./beginning";

const LINE = `${"word ".repeat(19)}end\n`;

test("a text that fits is whole", () => {
  const text = LINE.repeat(100);
  expect(beginningOf(text, 1)).toBe(text);
  expect(endOf(text)).toBe(text);
});

test("one with more characters is cut behind a line, or within one that is too long", () => {
  const text = LINE.repeat(3_000);
  expect(beginningOf(text, 1).endsWith("end")).toBe(true);
  expect(beginningOf(text, 1).length).toBeLessThanOrEqual(CHARACTERS_FIRST);
  expect(beginningOf("x".repeat(300_000), 2)).toHaveLength(2 * CHARACTERS_FIRST);
});

test("one with more lines is cut behind one, and twice as much of it is twice as many", () => {
  const text = "x\n".repeat(30_000);
  expect(beginningOf(text, 1).split("\n")).toHaveLength(4_000);
  expect(beginningOf(text, 2).split("\n")).toHaveLength(8_000);
  expect(beginningOf("x\n".repeat(3_000), 1)).toHaveLength(6_000);
});

test("a character is never cut in two", () => {
  expect(beginningOf(`a${"👍".repeat(CHARACTERS_FIRST)}`, 1).endsWith("👍")).toBe(true);
  expect(endOf(`a${"👍".repeat(CHARACTERS_FIRST)}`).startsWith("👍")).toBe(true);
});

test("the end of one that grows begins at the same place until it is twice as long", () => {
  const text = LINE.repeat(3_950);
  const ends = [...Array(200).keys()].map((more) => endOf(text + LINE.repeat(more)));

  const isRight = (end: string) => end.length > CHARACTERS_FIRST - 100 && end.length <= 2 * CHARACTERS_FIRST;
  expect(ends.every(isRight)).toBe(true);
  expect(ends.every((end) => end.startsWith("word "))).toBe(true);
  expect(ends.slice(1).filter((end, index) => end.length < (ends[index]?.length ?? 0))).toHaveLength(1);
});
