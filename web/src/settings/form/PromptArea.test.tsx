// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../../tests/rendered";
import { PromptArea } from "./PromptArea";

const warning = (value: string) => {
  const { unmount } = show(<PromptArea label="Instructions" value={value} onChange={() => undefined} />);
  const said = screen.getByRole("status").textContent;
  unmount();
  return said;
};

// proves web-ui 60
test("what cannot be seen in instructions is warned of", () => {
  expect(warning("Be brief.")).toBe("");
  expect(warning("Be\u200b brief.")).toContain("one invisible character");
});
