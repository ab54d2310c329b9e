import { expect, test } from "vitest";
import type { Part } from "@/api/types";
import { writtenIn } from "./written";

test("a message comes back with its words and its files", () => {
  const content: Part[] = [
    { type: "file", file_id: "f1", media_type: "image/png", name: "plan.png" },
    { type: "text", text: "Look at this." },
    { type: "text", text: "Then go on." },
  ];

  expect(writtenIn({ content })).toEqual({
    text: "Look at this.\nThen go on.",
    files: [{ id: "f1", name: "plan.png", media_type: "image/png", size_bytes: null }],
  });
});
