// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import { prefer, preference } from "./preferences";

afterEach(() => localStorage.clear());

test("a choice is kept, and what is kept but no choice counts for nothing", () => {
  expect(preference("send.with")).toBe("enter");
  prefer("send.with", "mod-enter");
  expect(preference("send.with")).toBe("mod-enter");
  localStorage.setItem("chatd.send.with", '"by telegram"');
  expect(preference("send.with")).toBe("enter");
});

test("the width of chats is shown at once", () => {
  prefer("chat.width", "wide");
  expect(document.documentElement.dataset.width).toBe("wide");
});
