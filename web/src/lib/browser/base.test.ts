// @vitest-environment jsdom
import { expect, test } from "vitest";
import { rootOf } from "./base";

function rootAt(address: string, content: string): string {
  document.head.innerHTML = `<meta name="chatd-root" content="${content}">`;
  return rootOf(document, { href: address } as Location).href;
}

test("the root is found from any depth, and below any path", () => {
  expect(rootAt("https://host/", "./")).toBe("https://host/");
  expect(rootAt("https://host/chats/7?a=b#c", "../")).toBe("https://host/");
  expect(rootAt("https://host/a/b/settings/models/x", "../../")).toBe("https://host/a/b/");
});
