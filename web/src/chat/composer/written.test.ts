import { expect, test } from "vitest";
import type { Part } from "@/api/types";
import { writtenIn } from "./written";

test("a message comes back with its words, its files and the lines that it is about", () => {
  const content: Part[] = [
    { type: "file", file_id: "f1", media_type: "image/png", name: "plan.png" },
    { type: "text", text: "Look at this." },
    { type: "file-reference", file_name: "calc.py", start_line: 3, end_line: 5, content: "+2" },
    { type: "text", text: "Then go on." },
  ];

  expect(writtenIn({ content })).toEqual({
    text: "Look at this.\nThen go on.",
    files: [{ id: "f1", name: "plan.png", media_type: "image/png", size_bytes: null }],
    references: [{ key: "written 2", file: "calc.py", first: 3, last: 5, lines: "+2", comment: "" }],
  });
});
