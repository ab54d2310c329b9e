import { expect, test } from "vitest";
import { parseDiff } from "@/ui/diff/parse";
import { hunksOf, splitRows } from "./hunks";
import { changingTurns, inShort } from "./turns";

const DIFF = `diff --git a/calc.py b/calc.py
index 1111111..2222222 100644
--- a/calc.py
+++ b/calc.py
@@ -1,4 +1,5 @@ def add
 one
-two
-three
+2
 four
+five
+six
@@ -20,2 +21 @@
-gone
-gone too
+here
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
`;

test("a file is read in hunks that know where they are", () => {
  const [calc, old] = parseDiff(DIFF);
  if (!calc || !old) throw new Error("two files");
  expect(hunksOf(calc).map(({ first, last, within }) => [first, last, within])).toEqual([
    [1, 5, "def add"],
    [21, 21, ""],
  ]);
  expect(hunksOf(old).map(({ first, last }) => [first, last])).toEqual([[1, 2]]);
});

test("what was removed stands beside what came instead", () => {
  const [calc] = parseDiff(DIFF);
  if (!calc) throw new Error("a file");
  const rows = splitRows(hunksOf(calc)[0]?.lines ?? []).map(({ before, after }) => [
    before?.text ?? null,
    after?.text ?? null,
  ]);
  expect(rows).toEqual([
    ["one", "one"],
    ["two", "2"],
    ["three", null],
    ["four", "four"],
    [null, "five"],
    [null, "six"],
  ]);
});

test("turns are listed by the checkpoints that were taken in them", () => {
  const prompts = [
    { id: 30, text: "third" },
    { id: 20, text: "second" },
    { id: 10, text: "first" },
  ];
  const at = (...ids: number[]) => ({
    checkpoints: ids.map((message_id) => ({ message_id, created_at: "" })),
    can_undo: false,
    interrupted: false,
  });
  expect(changingTurns(prompts, at(11, 12, 31)).map((turn) => turn.messageId)).toEqual([30, 10]);
  expect(changingTurns(prompts, at())).toEqual([]);
});

test("a long message is told in one short line", () => {
  expect(inShort("one\n\n two")).toBe("one two");
  expect(inShort("x".repeat(100))).toHaveLength(61);
  expect(inShort("  ")).toBe("(no text)");
});
