import { expect, test } from "vitest";
import { tokensOf, wholeNumber } from "./numbers";

test("tokens are read as people write them", () => {
  expect(["200000", "200,000", "200 000", "200k", "1M", " 8_192 "].map(tokensOf)).toEqual([
    200_000, 200_000, 200_000, 200_000, 1_000_000, 8_192,
  ]);
  expect(["", "many", "-5", "k", "1e6"].map(tokensOf)).toEqual([null, null, null, null, null]);
});

test("a number outside of its bounds is named", () => {
  expect(wholeNumber("uses", "3", 10)).toEqual({});
  expect(wholeNumber("uses", "", 10)).toEqual({ uses: "Enter a whole number from 0 to 10." });
  expect(wholeNumber("uses", "11", 10)).toHaveProperty("uses");
});
