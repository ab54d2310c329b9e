import { expect, test } from "vitest";
import type { Role } from "@/api/types";
import type { Row } from "./rows";
import { turnText } from "./turnText";

const row = (role: Role, ...texts: string[]): Row => ({
  key: texts.join(),
  role,
  message: null,
  end: null,
  blocks: texts.map((text, index) => ({ type: "part", key: String(index), part: { type: "text", text } })),
});

test("a turn is all that the agent said since the last message of a user", () => {
  const rows = [
    row("user", "First."),
    row("assistant", "Old."),
    row("user", "Second."),
    row("assistant", "I look."),
    row("system", "A notice."),
    row("assistant", "Done.", "That is all."),
    row("user", "Third."),
  ];

  expect(turnText(rows, rows[5] as Row)).toBe("I look.\n\nDone.\n\nThat is all.");
  expect(turnText(rows, rows[1] as Row)).toBe("Old.");
});
