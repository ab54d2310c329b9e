import { expect, test } from "vitest";
import { placesAfter } from "./pins";

const chats = (...places: [string, number][]) => places.map(([id, pin_order]) => ({ id, pin_order }));

const after = (order: ReturnType<typeof chats>, moved: string) =>
  Object.fromEntries(placesAfter(order, moved));

test("a chat that is moved between two others takes a place between theirs", () => {
  expect(after(chats(["a", 100], ["c", 300], ["b", 200]), "c")).toEqual({ c: 150 });
});

test("at the top and at the bottom there is room as well", () => {
  expect(after(chats(["b", 2], ["a", 1]), "b")).toEqual({ b: 1, a: 2 });
  expect(after(chats(["b", 2000], ["a", 1000]), "b")).toEqual({ b: 500 });
  expect(after(chats(["b", 200], ["a", 100]), "a")).toEqual({ a: 1224 });
});

test("where there is no room, as few others as possible move on", () => {
  expect(after(chats(["a", 7], ["d", 20], ["b", 8], ["c", 9], ["e", 40]), "d")).toEqual({
    d: 8,
    b: 9,
    c: 10,
  });
});

test("any move leads to the order that was asked for", () => {
  const pinned = chats(["a", 1], ["b", 2], ["c", 3], ["d", 50], ["e", 51]);
  for (const { id } of pinned) {
    for (const to of pinned.keys()) {
      const order = pinned
        .filter((chat) => chat.id !== id)
        .toSpliced(to, 0, ...pinned.filter((chat) => chat.id === id));
      const places = placesAfter(order, id);
      const numbers = order.map((chat) => places.get(chat.id) ?? chat.pin_order);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(Math.min(...numbers)).toBeGreaterThan(0);
    }
  }
});
