// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";
import { aChat } from "../../tests/chats";
import { show } from "../../tests/rendered";
import { json, refusal, server } from "../../tests/server";
import { CommandPalette } from "./CommandPalette";

beforeAll(() => {
  HTMLElement.prototype.scrollIntoView = () => undefined;
});

const nothing = () => undefined;
const type = (value: string) => fireEvent.change(screen.getByRole("combobox"), { target: { value } });
const options = () => screen.getAllByRole("option").map((each) => each.textContent);

function open(): void {
  server(({ query }) =>
    query.has("q")
      ? refusal(500, "The index is being made.")
      : json({ chats: [{ ...aChat("Tidy up"), queue: [] }] }),
  );
  show(<CommandPalette open onClose={nothing} onNew={nothing} onList={nothing} onShortcuts={nothing} />);
}

// proves web-ui 13
test("a search that fails says why, and without it recent chats are there again", async () => {
  open();
  await screen.findByRole("option", { name: /Tidy up/ });

  type("words");
  await waitFor(() => expect(screen.getByRole("status").textContent).toContain("The index is being made."));
  expect(screen.queryByRole("option")).toBeNull();

  type("");
  await screen.findByRole("option", { name: /Tidy up/ });
  expect(screen.getByRole("status").textContent).toBe("");
});

test("a search says that it looks, and then what it has found or that there is nothing", async () => {
  let answer: (chats: object[]) => void = nothing;
  server(({ query }) =>
    query.has("q")
      ? new Promise((resolve) => {
          answer = (chats) => resolve(json({ chats }));
        })
      : json({ chats: [] }),
  );
  show(<CommandPalette open onClose={nothing} onNew={nothing} onList={nothing} onShortcuts={nothing} />);

  type("moons");
  await screen.findByRole("status", { name: "Searching" });
  await waitFor(() => expect(answer).not.toBe(nothing));
  answer([{ ...aChat("Moons of Jupiter"), queue: [] }]);
  await screen.findByRole("option", { name: /Moons of Jupiter/ });

  answer = nothing;
  type("moonss");
  await waitFor(() => expect(answer).not.toBe(nothing));
  answer([]);
  await screen.findByText("No chat has these words.");
});

test("commands are found by a part of their name", async () => {
  open();
  type("dark");

  await waitFor(() => expect(options()).toEqual(["Dark theme"]));
});
