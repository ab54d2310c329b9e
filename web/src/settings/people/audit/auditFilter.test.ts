import { expect, test } from "vitest";
import { filterOf, NOTHING_WANTED } from "./auditFilter";

test("what was not chosen is not asked for", () => {
  expect(filterOf(NOTHING_WANTED)).toEqual({});
  expect(filterOf({ ...NOTHING_WANTED, deed: " user.suspend ", outcome: "refused", actor: "u" })).toEqual({
    deed: "user.suspend",
    outcome: "refused",
    actor: "u",
  });
});

test("days are those of this browser, and the last one is meant whole", () => {
  const { since, until } = filterOf({ ...NOTHING_WANTED, from: "2027-01-31", to: "2027-01-31" });

  expect(new Date(since ?? "")).toEqual(new Date(2027, 0, 31));
  expect(new Date(until ?? "")).toEqual(new Date(2027, 1, 1));
});
