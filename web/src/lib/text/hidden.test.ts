import { expect, test } from "vitest";
import { hiddenIn } from "./hidden";

test("characters that cannot be seen are counted", () => {
  expect(hiddenIn("plain text, ümläute and 漢字")).toBe(0);
  expect(hiddenIn("zero\u200bwidth and \u202eturned\u202c")).toBe(3);
  expect(hiddenIn("tags: \u{e0041}\u{e0042}")).toBe(2);
});

test("families of emoji and scripts that need joiners are not warned of", () => {
  expect(hiddenIn("👩\u200d👩\u200d👧 نمی\u200cخواهم")).toBe(0);
});
