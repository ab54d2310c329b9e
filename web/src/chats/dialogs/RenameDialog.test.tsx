// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { RenameDialog } from "./RenameDialog";

const title = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Title" }).value;
const suggest = () => fireEvent.click(screen.getByRole("button", { name: "Suggest" }));

test("a proposal fills the field, and nothing is saved by it", async () => {
  const asked = server(() => json({ title: "Tests mended" }));
  show(<RenameDialog chat={{ id: "a", title: "First" }} onClose={() => undefined} />);

  suggest();

  await waitFor(() => expect(title()).toBe("Tests mended"));
  expect(asked.map((each) => each.what)).toEqual(["POST /api/v1/chats/a/title/propose"]);
});

// proves web-ui 14
test("a proposal that comes late changes no other dialog", async () => {
  let answer = (_: Response) => {};
  server(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const { rerender } = show(
    <RenameDialog key="a" chat={{ id: "a", title: "First" }} onClose={() => undefined} />,
  );
  suggest();
  await waitFor(() =>
    expect(screen.getByRole("button", { name: /Suggest/ })).toHaveProperty("disabled", true),
  );

  rerender(<RenameDialog key="b" chat={{ id: "b", title: "Second" }} onClose={() => undefined} />);
  answer(json({ title: "Late" }));
  await new Promise((resolve) => setTimeout(resolve));

  expect(title()).toBe("Second");
});

test("why there is no proposal is told, and what was typed stays", async () => {
  server(() => refusal(502, "The model did not answer."));
  show(<RenameDialog chat={{ id: "a", title: "First" }} onClose={() => undefined} />);

  suggest();

  expect((await screen.findByRole("alert")).textContent).toBe("The model did not answer.");
  expect(title()).toBe("First");
});
