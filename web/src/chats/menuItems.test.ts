import { expect, test, vi } from "vitest";
import type { RowChat } from "@/api/chats/chats";
import { aChat } from "../../tests/chats";
import { itemsOfAny, itemsOfRoot } from "./menuItems";

const does = () => ({ ask: vi.fn(), change: vi.fn(), mark: vi.fn() });
const OWNER = [
  "chat.read",
  "chat.keep",
  "chat.describe",
  "chat.share",
  "chat.transfer",
  "chat.archive",
  "chat.delete",
];
const READER = ["chat.read", "chat.keep"];

function labels(deeds: string[], more: Partial<RowChat> = {}): string[] {
  const items = itemsOfRoot(aChat("a", more), new Set(deeds), does());
  return items.map((item) => (item === "line" ? "-" : "label" in item ? item.label : item.heading));
}

test("the menu offers what may be done, and nothing else", () => {
  expect(labels(OWNER)).toEqual([
    "Pin",
    "Rename…",
    "Labels…",
    "Mark as unread",
    "Mute",
    "Export as Markdown",
    "Share…",
    "Hand over…",
    "-",
    "Archive",
    "Delete…",
  ]);
  expect(labels(READER)).toEqual(["Pin", "Mark as unread", "Mute", "Export as Markdown"]);
  expect(labels(["chat.archive", "chat.delete", "chat.transfer"])).toEqual([
    "Hand over…",
    "-",
    "Archive",
    "Delete…",
  ]);
  expect(labels([])).toEqual([]);
});

test("who was let into a chat can leave it, and its owner cannot", () => {
  const deeds = [...READER, "chat.unshare"];

  expect(labels(deeds, { access: "writer" }).slice(-2)).toEqual(["-", "Leave…"]);
  expect(labels(deeds, { access: "owner" })).not.toContain("Leave…");
});

test("what is pinned, unread, muted or archived already is taken back", () => {
  const marked = { pin_order: 3, has_unread: true, muted: true, archived: true };

  expect(labels(OWNER, marked)).toEqual(
    expect.arrayContaining(["Unpin", "Mark as read", "Unmute", "Take out of the archive"]),
  );
});

test("pins, mutes and what was read are marks of one's own, also in a chat of somebody else", () => {
  const { ask, change, mark } = does();
  const chat = aChat("a", { access: "reader", has_unread: true, muted: true, pin_order: 1 });
  for (const item of itemsOfRoot(chat, new Set(READER), { ask, change, mark })) {
    if (typeof item === "object" && "onSelect" in item && item.label !== "Export as Markdown")
      item.onSelect();
  }

  expect(mark.mock.calls.map(([, body]) => body)).toEqual([
    { pin_order: 0 },
    { read_id: Number.MAX_SAFE_INTEGER },
    { muted: false },
  ]);
  expect(change).not.toHaveBeenCalled();
});

test("a chat that works for another is neither pinned nor handed over by itself", () => {
  const items = itemsOfAny(aChat("a"), new Set(OWNER), does());

  expect(items.map((item) => typeof item === "object" && "label" in item && item.label)).toEqual([
    "Rename…",
    "Labels…",
    "Mark as unread",
    "Mute",
    "Export as Markdown",
  ]);
});
