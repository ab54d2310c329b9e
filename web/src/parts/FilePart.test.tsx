// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../tests/rendered";
import { refusal, server } from "../../tests/server";
import { FilePart } from "./FilePart";

const part = (media_type: string, name: string) => ({
  type: "file" as const,
  file_id: "f",
  media_type,
  name,
});

// proves web-ui 30
test("an image that is gone is told of where it was", () => {
  show(<FilePart part={part("image/png", "plan.png")} />);

  fireEvent.error(screen.getByRole("img"));

  expect(screen.getByText(/plan\.png cannot be shown: it was removed/)).toBeTruthy();
});

// proves web-ui 30
test("a text that is gone is told of where it would be read", async () => {
  server(() => refusal(404, "There is no file 'f'."));
  show(<FilePart part={part("text/plain", "notes.txt")} />);

  fireEvent.click(screen.getByRole("button", { name: /notes\.txt/ }));

  expect(await screen.findByText("The file is not there any more.")).toBeTruthy();
});
