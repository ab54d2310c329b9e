import { expect, test } from "vitest";
import { wordsIn } from "./shellWords";

test("words of a command are read as a shell would", () => {
  expect(wordsIn('git commit -m "two words" *')).toEqual(["git", "commit", "-m", "two words", "*"]);
  expect(wordsIn("  ")).toEqual([]);
});
