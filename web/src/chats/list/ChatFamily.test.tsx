// @vitest-environment jsdom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RowChat } from "@/api/chats/chats";
import { aChat } from "../../../tests/chats";
import { show } from "../../../tests/rendered";
import { json, server } from "../../../tests/server";
import { ChatFamily, type Rows } from "./ChatFamily";

const ROWS: Rows = {
  hrefOf: (id) => `/chats/${id}`,
  openId: null,
  openParentId: null,
  itemsFor: () => [],
  busyIds: new Set(),
};

const child = (id: string, more: object = {}) => ({
  ...aChat(id),
  parent_chat_id: "parent",
  queue: [],
  ...more,
});

const parent = (more: Partial<RowChat> = {}) =>
  aChat("parent", { children: { count: 2, at_work: 0, waiting: [] }, ...more });

function list(chat: RowChat, rows: Partial<Rows> = {}) {
  server(() => json({ chats: [child("Second", { created_at: "2027-01-15T12:00:02Z" }), child("First")] }));
  const family = (of: Partial<Rows>) => (
    <ul>
      <ChatFamily chat={chat} rows={{ ...ROWS, ...of }} />
    </ul>
  );
  const { rerender } = show(family(rows));
  return { rerender: (of: Partial<Rows>) => rerender(family(of)) };
}

const agents = () => screen.queryByRole("list", { name: "Agents of parent" });
const expander = () => screen.getByRole("button", { name: /agents of parent$/ });

test("the agents of a chat are shown and hidden, in the order in which they began", async () => {
  list(parent());
  expect(agents()).toBeNull();

  fireEvent.click(expander());
  await screen.findByRole("link", { name: /First/ });
  expect(screen.getAllByRole("link").map((each) => each.dataset.chat)).toEqual(["parent", "First", "Second"]);

  fireEvent.click(expander());
  expect(agents()).toBeNull();
});

// proves web-ui 5
test("an agent that works while its parent rests is shown without a word", async () => {
  list(parent({ children: { count: 2, at_work: 1, waiting: [] } }));

  expect(await screen.findByRole("link", { name: /First/ })).toBeTruthy();
});

test("a parent that works itself says how many work for it, and keeps them folded", () => {
  list(parent({ status: "running", children: { count: 2, at_work: 2, waiting: [] } }));

  expect(screen.getByText(/2 agents at work/)).toBeTruthy();
  expect(agents()).toBeNull();
});

test("the parent of the open chat is unfolded, also one that was folded before", async () => {
  const { rerender } = list(parent(), { openId: "First", openParentId: "parent" });
  expect((await screen.findByRole("link", { name: /First/ })).getAttribute("aria-current")).toBe("page");

  fireEvent.click(expander());
  expect(agents()).toBeNull();

  rerender({ openId: "Second", openParentId: "parent" });
  expect((await screen.findByRole("link", { name: /Second/ })).getAttribute("aria-current")).toBe("page");
});

test("a chat without agents has nothing to unfold", () => {
  list(aChat("parent"));

  expect(screen.queryByRole("button", { name: /agents/ })).toBeNull();
});
