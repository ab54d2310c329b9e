// @vitest-environment jsdom
import { render } from "@testing-library/react";
import { expect, test } from "vitest";

import { TextPart } from "./TextPart";

test("what was drawn while it was said stays when it is whole", () => {
  const text = "One paragraph.\n\nAnother one.\n\nA third.";
  const props = { part: { type: "text" as const, text }, chatId: "chat", role: "assistant" as const };
  const { container, rerender } = render(<TextPart {...props} live />);
  const before = [...container.querySelectorAll("p")];

  rerender(<TextPart {...props} live={false} />);

  expect(before).toHaveLength(3);
  expect([...container.querySelectorAll("p")].every((each, index) => each === before[index])).toBe(true);
});
