import { expect, test } from "vitest";
import type { Branch, Message } from "@/api/types";
import { branchPoints } from "./branches";

const branch = (id: number, parent: number | null, fork: number | null, active = false): Branch => ({
  id,
  active,
  parent_id: parent,
  fork_id: fork,
  created_at: "2027-01-15T08:00:00Z",
});

const messages = (...ids: number[]) => ids.map((id) => ({ id }) as Message);

const shown = (branches: Branch[], ...ids: number[]) =>
  Object.fromEntries(branchPoints(branches, messages(...ids)));

test("a history without edits has one version", () => {
  expect(shown([branch(1, null, null, true)], 1, 2, 3)).toEqual({});
});

test("at an edited message one can go back and forth", () => {
  expect(shown([branch(1, null, null), branch(2, 1, 3, true)], 1, 2, 5, 6)).toEqual({
    5: { branches: [1, 2], at: 1 },
  });
  expect(shown([branch(1, null, null, true), branch(2, 1, 3)], 1, 2, 3, 4)).toEqual({
    3: { branches: [1, 2], at: 0 },
  });
});

test("edits of an edit are versions at their own place", () => {
  const branches = [branch(1, null, null), branch(2, 1, 3), branch(3, 2, 7, true)];

  expect(shown(branches, 1, 2, 5, 6, 9)).toEqual({
    5: { branches: [1, 2], at: 1 },
    9: { branches: [2, 3], at: 1 },
  });
});

test("a fork on a line that is not shown has no place", () => {
  const branches = [branch(1, null, null), branch(2, 1, 5), branch(3, 1, 3, true)];

  expect(shown(branches, 1, 2, 8)).toEqual({ 8: { branches: [1, 3], at: 1 } });
});

test("a fork that comes before another one is still there", () => {
  const branches = [branch(1, null, null), branch(2, 1, 3), branch(3, 1, 5, true)];

  expect(shown(branches, 1, 2, 3, 4, 9)).toEqual({
    3: { branches: [1, 2], at: 0 },
    9: { branches: [1, 3], at: 1 },
  });
});
