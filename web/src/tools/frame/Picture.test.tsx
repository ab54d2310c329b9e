// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import type { PartOf } from "@/api/types";

import { Picture } from "./Picture";

afterEach(cleanup);

const SHOWN: PartOf<"tool-result"> = {
  type: "tool-result",
  tool_call_id: "c",
  tool_name: "read_file",
  result: { mime_type: "image/png", text: "a.png: image/png, 8 bytes" },
  is_media: true,
};
const FILE: PartOf<"file"> = { type: "file", file_id: "f 1", media_type: "image/png", name: "a.png" };

it("a picture is read from its file", () => {
  render(<Picture result={{ ...SHOWN, media: FILE }} />);

  expect(screen.getByRole("img", { name: "a.png" }).getAttribute("src")).toMatch(/\/api\/v1\/files\/f%201$/);
  expect(screen.getByText("a.png: image/png, 8 bytes")).toBeTruthy();
});

it("a picture of before is inside of its result", () => {
  const inside = { data: "iVBORw0K", mime_type: "image/png", text: "" };
  render(<Picture result={{ ...SHOWN, result: inside }} />);

  expect(screen.getByRole("img").getAttribute("src")).toBe("data:image/png;base64,iVBORw0K");
});

it("what is neither is told in words", () => {
  render(<Picture result={SHOWN} />);

  expect(screen.queryByRole("img")).toBeNull();
  expect(screen.getByText("a.png: image/png, 8 bytes")).toBeTruthy();
});
