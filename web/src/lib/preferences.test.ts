// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import { prefer, preference } from "./preferences";

afterEach(() => localStorage.clear());

test("a choice is kept, and what is kept but no choice counts for nothing", () => {
  expect(preference("send")).toBe("enter");
  prefer("send", "mod-enter");
  expect(preference("send")).toBe("mod-enter");
  localStorage.setItem("chatd.preference.send", '"by telegram"');
  expect(preference("send")).toBe("enter");
});
