// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { Tooltips } from "@/ui/overlay/Tooltip";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { NewChatPage } from "./NewChatPage";

const MODEL = { name: "p/a", enabled: true, available: true, is_default: true, reasoning_efforts: [] };
const DENIED = "Chats of your group may not use this model before Monday.";

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  window.history.replaceState(null, "", "/new");
});

const open = () =>
  show(
    <Tooltips>
      <NewChatPage />
    </Tooltips>,
  );

async function send(words: string): Promise<HTMLElement> {
  const field = await screen.findByRole("textbox", { name: "Message" });
  fireEvent.change(field, { target: { value: words } });
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  return field;
}

const lists = (what: string, deeds: readonly string[] = ["chat.create"]) =>
  json(what.endsWith("/models") ? { models: [MODEL] } : { servers: [], skills: [], deeds });

test("who may start no chats is told so, and is given no field to write in", async () => {
  server(({ what }) => lists(what, ["chat.list"]));
  open();

  await screen.findByRole("heading", { name: "You start no chats here" });
  expect(screen.getByRole("link").getAttribute("href")).toBe("/?shared=1");
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("what the server says against a chat is shown, and what was written stays", async () => {
  server(({ what }) => (what === "POST /api/v1/chats" ? refusal(403, DENIED) : lists(what)));
  open();
  const field = await send("Tidy up.");

  expect((await screen.findByRole("alert")).textContent).toBe(DENIED);
  expect(field).toHaveProperty("value", "Tidy up.");
});

test("models that cannot be loaded are not said to be missing, and are asked for again", async () => {
  let isBroken = true;
  server(({ what }) =>
    isBroken && what.endsWith("/models") ? refusal(500, "The disk is full.") : lists(what),
  );
  open();
  expect((await screen.findByRole("alert")).textContent).toContain("The models could not be loaded.");

  isBroken = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("textbox", { name: "Message" });
});

test("who goes elsewhere before the chat is made is left there", async () => {
  let answer: () => void = () => undefined;
  const made = new Promise<Response>((resolve) => {
    answer = () => resolve(json({ id: "a-chat" }));
  });
  const asked = server(({ what }) => (what === "POST /api/v1/chats" ? made : lists(what)));
  const { unmount } = open();
  await send("Tidy up.");
  await waitFor(() => expect(asked.map(({ what }) => what)).toContain("POST /api/v1/chats"));

  unmount();
  window.history.replaceState(null, "", "/settings");
  answer();
  await made;
  await new Promise((resume) => setTimeout(resume));
  expect(window.location.pathname).toBe("/settings");
});
