// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { show } from "../../tests/rendered";
import { type Asked, json, refusal, server } from "../../tests/server";
import { lastSocket, sockets } from "../../tests/sockets";
import GuestPage from "./GuestPage";

const CHAT = {
  title: "Moons",
  owner_name: "Olivia",
  live: false,
  include: [],
  expires_at: "2027-01-22T12:00:00Z",
};

const said = (id: string, text: string, role = "user") => ({
  id,
  role,
  created_at: "2027-01-15T12:00:00Z",
  content: [{ type: "text", text }],
});

beforeAll(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});

beforeEach(() => {
  sockets.length = 0;
  window.location.hash = "#CODE";
});

function opened(chat: object | null, ...pages: object[]): Asked[] {
  const left = [...pages];
  const asked = server(({ what }) => {
    if (chat === null) return refusal(404, "There is no such link, or it has ended.");
    return json(what.endsWith("/chat") ? chat : left.shift());
  });
  show(<GuestPage />);
  return asked;
}

test("a chat is shown with who shared it and until when, and the rest is asked for", async () => {
  const asked = opened(
    CHAT,
    { messages: [said("b", "Io and Europa.", "assistant"), said("a", "Name moons.")], next: "x" },
    { messages: [said("0", "Hello.")], next: null },
  );

  await screen.findByRole("heading", { name: "Moons" });
  await screen.findByText("Io and Europa.");
  expect(screen.getByText(/Shared by Olivia\. You can read it until/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Earlier messages" }));

  await screen.findByText("Hello.");
  expect(asked.map(({ what, query }) => [what, query.get("before")])).toEqual([
    ["GET /api/v1/public/chat", null],
    ["GET /api/v1/public/messages", null],
    ["GET /api/v1/public/messages", "x"],
  ]);
  expect(screen.queryByRole("button", { name: "Earlier messages" })).toBeNull();
  // It does not follow on: there is no stream, and nothing to type.
  expect(sockets).toEqual([]);
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("a link that has ended, and one that never was, is one plain page", async () => {
  opened(null);

  await screen.findByRole("heading", { name: "This link leads nowhere." });
});

test("without a code it is the same page", async () => {
  window.location.hash = "";
  opened(null);

  await screen.findByRole("heading", { name: "This link leads nowhere." });
});

test("a live chat is followed with the code beside the protocol, and is gone when the link ends", async () => {
  opened({ ...CHAT, live: true });
  await waitFor(() => expect(sockets).toHaveLength(1));
  expect(lastSocket().protocols).toEqual(["chatd", "chatd.guest.CODE"]);
  expect(lastSocket().url.href).not.toContain("CODE");

  lastSocket().tell(
    { type: "chat", chat: { title: "Moons" } },
    { type: "message", message: said("a", "Name a moon.") },
    { type: "message_part", role: "assistant", part: { type: "text", text: "Io" } },
  );
  await screen.findByText("Io");
  expect(screen.getByText("Live")).toBeTruthy();

  lastSocket().tell({ type: "access_ended" });
  await screen.findByRole("heading", { name: "This link leads nowhere." });
  expect(screen.queryByText("Name a moon.")).toBeNull();
});

test("who comes back after a lost connection is shown what is told then", async () => {
  opened({ ...CHAT, live: true });
  await waitFor(() => expect(sockets).toHaveLength(1));
  lastSocket().tell(
    { type: "chat", chat: { title: "Moons" } },
    { type: "message", message: said("a", "Old.") },
  );
  await screen.findByText("Old.");

  lastSocket().close();
  await screen.findByText("Connecting");
  await waitFor(() => expect(sockets).toHaveLength(2));
  lastSocket().tell(
    { type: "chat", chat: { title: "Moons" } },
    { type: "message", message: said("b", "New.") },
  );

  await screen.findByText("New.");
  expect(screen.queryByText("Old.")).toBeNull();
});

test("what cannot be asked for now can be tried again", async () => {
  let isAway = true;
  server(({ what }) => {
    if (isAway) return refusal(429, "These are too many requests.");
    return json(what.endsWith("/chat") ? CHAT : { messages: [said("a", "Hello.")] });
  });
  show(<GuestPage />);
  await screen.findByText("These are too many requests.");

  isAway = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));

  await screen.findByText("Hello.");
});

test("who leaves for another link while the server is asked is not followed by the first", async () => {
  let answerFirst: (answer: Response) => void = () => {};
  const first = new Promise<Response>((resolve) => {
    answerFirst = resolve;
  });
  let asked = 0;
  server(() => (asked++ === 0 ? first : json({ ...CHAT, title: "Suns", live: true })));
  show(<GuestPage />);
  await waitFor(() => expect(asked).toBe(1));

  window.location.hash = "#OTHER";
  await screen.findByRole("heading", { name: "Suns" });
  answerFirst(json({ ...CHAT, live: true }));
  await new Promise((done) => setTimeout(done));

  expect(sockets.map(({ protocols }) => protocols)).toEqual([["chatd", "chatd.guest.OTHER"]]);
});
