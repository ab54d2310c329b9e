import { expect, test } from "vitest";
import type { Filters, RowChat } from "@/api/chats/chats";
import { withChat, without } from "@/live/chatList";
import { aChat } from "../../tests/chats";
import { filtersOf, NO_FILTERS, searchOf } from "./filters";
import { sectionsOf } from "./list/sections";
import { subtitleOf } from "./list/subtitle";

const NOW = new Date(2027, 0, 15, 12);

const chat = (id: string, more: Partial<RowChat> = {}) =>
  aChat(id, { created_at: NOW.toISOString(), updated_at: NOW.toISOString(), ...more });

const ago = (hours: number) => ({ updated_at: new Date(NOW.getTime() - hours * 3_600_000).toISOString() });

test("pinned chats come first in their order, the others by day, the newest on top", () => {
  const chats = [
    chat("old", ago(24 * 30)),
    chat("b", { pin_order: 2 }),
    chat("a", { pin_order: 1, ...ago(24 * 30) }),
    chat("morning", ago(3)),
    chat("noon"),
    chat("yesterday", ago(20)),
    chat("monday", ago(24 * 4)),
  ];

  expect(
    sectionsOf(chats, NOW).map(({ name, chats: within }) => [name, within.map((each) => each.id)]),
  ).toEqual([
    ["Pinned", ["a", "b"]],
    ["Today", ["noon", "morning"]],
    ["Yesterday", ["yesterday"]],
    ["This week", ["monday"]],
    ["Older", ["old"]],
  ]);
});

test("those with something new come before the others, the newest on top", () => {
  const chats = [
    chat("read"),
    chat("old news", { has_unread: true, ...ago(24 * 30) }),
    chat("pinned", { pin_order: 1, has_unread: true }),
    chat("news", { has_unread: true, ...ago(3) }),
  ];

  expect(
    sectionsOf(chats, NOW, "unread").map(({ name, chats: within }) => [name, within.map((each) => each.id)]),
  ).toEqual([
    ["Pinned", ["pinned"]],
    ["Unread", ["news", "old news"]],
    ["Read", ["read"]],
  ]);
});

// proves web-ui 3
test("the second line tells an error first, then what is done, then what was done, then the model", () => {
  const failed = { message: "The key was refused.", kind: "auth", retryable: false };
  const label = { last_turn_summary: "Mended the tests" };

  expect(subtitleOf(chat("a", { status: "error", last_error: failed, ...label }))).toBe(
    "The key was refused.",
  );
  expect(subtitleOf(chat("a", { status: "running", ...label }))).toBe("Working…");
  expect(subtitleOf(chat("a", { children: { count: 2, at_work: 2, waiting: [] }, ...label }))).toBe(
    "2 agents at work…",
  );
  expect(subtitleOf(chat("a", label))).toBe("Mended the tests");
  expect(subtitleOf(chat("a"))).toBe("model");
});

test("filters survive in the address", () => {
  const filters: Filters = {
    shared: true,
    archived: true,
    unread: true,
    labels: ["project:web site", "a:b:c"],
  };

  expect(filtersOf(searchOf(filters))).toEqual(filters);
  expect(searchOf(NO_FILTERS)).toBe("");
});

test("what the stream tells of a chat goes to its place, on top, or out of a list that it left", () => {
  const pages = [
    { chats: [chat("a")], next: "x" },
    { chats: [chat("b")], next: null },
  ];
  const ids = (shown: typeof pages) => shown.map((page) => page.chats.map((each) => each.id));

  expect(withChat(pages, chat("b", { title: "new" }), NO_FILTERS)[1]?.chats[0]?.title).toBe("new");
  expect(ids(withChat(pages, chat("c"), NO_FILTERS) as typeof pages)).toEqual([["c", "a"], ["b"]]);
  expect(ids(withChat(pages, chat("a", { archived: true }), NO_FILTERS) as typeof pages)).toEqual([
    [],
    ["b"],
  ]);
  expect(ids(withChat(pages, chat("c"), { ...NO_FILTERS, labels: ["p:q"] }) as typeof pages)).toEqual([
    ["a"],
    ["b"],
  ]);
  expect(ids(without(pages, "b") as typeof pages)).toEqual([["a"], []]);
});

test("a chat of somebody else is in the list of shared ones, and one that becomes one's own moves", () => {
  const shared = { ...NO_FILTERS, shared: true };
  const theirs = chat("a", { access: "reader" });
  const pages = [{ chats: [chat("b")], next: null }];
  const ids = (filters: Filters, told: RowChat) =>
    withChat(pages, told, filters).flatMap((page) => page.chats.map((each) => each.id));

  expect([ids(NO_FILTERS, theirs), ids(shared, theirs)]).toEqual([["b"], ["a", "b"]]);
  expect([ids(NO_FILTERS, chat("b", { access: "reader" })), ids(shared, chat("b"))]).toEqual([[], []]);
  expect(ids({ ...NO_FILTERS, labels: ["p:q"] }, chat("a", { labels: undefined }))).toEqual(["b"]);
});
