// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import { rememberedTab, rememberTab, shownTab } from "./remembered";

afterEach(() => localStorage.clear());

test("each chat remembers its tab, and old chats are forgotten", () => {
  rememberTab("one", "context");
  rememberTab("two", "debug");
  expect([rememberedTab("one"), rememberedTab("two"), rememberedTab("three")]).toEqual([
    "context",
    "debug",
    null,
  ]);
  for (let chat = 0; chat < 100; chat += 1) rememberTab(`chat ${chat}`, "changes");
  expect(rememberedTab("one")).toBeNull();
});

// proves web-ui 57
test("a tab that is not there now gives way to the first, and comes back", () => {
  expect(shownTab("debug", ["changes", "context"])).toBe("changes");
  expect(shownTab("debug", ["changes", "context", "debug"])).toBe("debug");
  expect(shownTab(null, ["changes", "context"])).toBe("changes");
});
