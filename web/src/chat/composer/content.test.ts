import { expect, test } from "vitest";
import { contentOf } from "./content";

const REFERENCE = { key: "k", file: "calc.py", first: 2, last: 3, lines: "-two\n+2", comment: "Why?" };
const FILE = { id: "f", name: "notes.txt", media_type: "text/plain", size_bytes: 3 };

test("a comment follows its lines, and what is said of all comes last", () => {
  const draft = { text: " Look. ", files: [FILE], references: [REFERENCE], at: 0 };
  expect(contentOf(draft)).toEqual([
    { type: "file-reference", file_name: "calc.py", start_line: 2, end_line: 3, content: "-two\n+2" },
    { type: "text", text: "Why?" },
    { type: "file", file_id: "f", name: "notes.txt" },
    { type: "text", text: "Look." },
  ]);
});

test("blanks are nothing to send", () => {
  expect(contentOf({ text: " \n", files: [], references: [], at: 0 })).toEqual([]);
});
