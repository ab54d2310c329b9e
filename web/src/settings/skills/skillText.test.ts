import { expect, test } from "vitest";
import { readSkill, skillProblems, writeSkill } from "./skillText";

const TEXT = `---
name: review-code
description: "Looks at \\"changes\\" before they are merged"
license: MIT
---

Read the diff first.
`;

test("a skill is read into fields and written back with all that it had", () => {
  const read = readSkill(TEXT);
  expect(read).toEqual({
    name: "review-code",
    description: 'Looks at "changes" before they are merged',
    more: "license: MIT",
    body: "Read the diff first.",
  });
  if (typeof read === "string") throw new Error(read);
  expect(readSkill(writeSkill(read))).toEqual(read);
});

test("a description over several lines becomes one", () => {
  const read = readSkill("---\nname: a\ndescription: >\n  one\n  two\n---\nDo it.");
  expect(read).toMatchObject({ description: "one two", body: "Do it." });
});

test("what is wrong with a file is said in a sentence", () => {
  expect(readSkill("# Just Markdown")).toMatch(/no front matter/);
  expect(readSkill("---\nname: a\n")).toMatch(/does not end/);
  expect(readSkill("---\ndescription: b\n---\nx")).toMatch(/no name/);
  expect(readSkill("---\nname: a\n---\nx")).toMatch(/no description/);
  expect(readSkill("---\nname: a\n{ broken\n---\nx")).toMatch(/cannot be read at this line: \{ broken/);
  expect(readSkill(`---\nname: a\n---\n${"x".repeat(70_000)}`)).toMatch(/64 KiB/);
});

test("every field that lacks something is named", () => {
  expect(Object.keys(skillProblems({ name: "Bad Name", description: " ", more: "", body: "" }))).toEqual([
    "name",
    "description",
    "body",
  ]);
});
