import { describe, expect, it } from "vitest";

import { changed, parseDiff } from "./parse";

const TWO = `--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two
+2
 three
--- /dev/null
+++ b/new.sql
@@ -0,0 +1,2 @@
+select 1;
+--- a comment
`;

describe("a unified diff", () => {
  it("is read file by file, with the numbers of its lines", () => {
    const files = parseDiff(TWO);
    expect(files.map((file) => [file.path, file.added, file.removed])).toEqual([
      ["src/a.py", 1, 1],
      ["new.sql", 2, 0],
    ]);
    expect(files[0]?.lines).toEqual([
      { kind: "hunk", text: "def f():", before: null, after: null },
      { kind: "same", text: "one", before: 1, after: 1 },
      { kind: "removed", text: "two", before: 2, after: null },
      { kind: "added", text: "2", before: null, after: 2 },
      { kind: "same", text: "three", before: 3, after: 3 },
    ]);
    expect(changed(files)).toEqual({ added: 3, removed: 1 });
  });

  it("keeps removed lines that look like the head of a file", () => {
    const [file] = parseDiff("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a/y\n same\n");
    expect(file?.lines.map((line) => line.text)).toEqual(["", "-- a/y", "same"]);
    expect(parseDiff("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a/y\n same\n")).toHaveLength(1);
  });

  it("says what was left out of it", () => {
    const [file] = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n");
    expect(file?.lines.at(-1)).toMatchObject({ kind: "note", text: "No newline at end of file" });
  });

  it("is nothing where there is none", () => {
    expect(parseDiff("It changes nothing.")).toEqual([]);
    expect(parseDiff("")).toEqual([]);
  });
});
