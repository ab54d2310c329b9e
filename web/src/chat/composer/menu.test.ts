import { expect, test } from "vitest";
import { triggerAt } from "./menu";

const at = (text: string) => triggerAt(text, text.length);

test("a slash opens commands only at the start of a message", () => {
  expect(at("/")).toEqual({ kind: "/", text: "", from: 0 });
  expect(at("/com")).toEqual({ kind: "/", text: "com", from: 0 });
  expect(at("see https:/")).toBeNull();
  expect(at("a /com")).toBeNull();
  expect(at("/com pact")).toBeNull();
});

test("an at sign mentions a file at the start of a word, and is left alone in an address", () => {
  expect(at("look at @src/a")).toEqual({ kind: "@", text: "src/a", from: 8 });
  expect(at("@")).toEqual({ kind: "@", text: "", from: 0 });
  expect(at("me@example")).toBeNull();
});
