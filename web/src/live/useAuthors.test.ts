import { expect, test } from "vitest";
import { authorOf, SOMEBODY } from "./useAuthors";

const owner = { id: "o", name: "olga", display_name: "" };
const anna = { id: "a", name: "anna", display_name: "Anna Nowak" };

test("messages of others have a name, and one's own have none", () => {
  const of = (id: string | undefined) => authorOf(id, "me", { a: anna }, owner);

  expect(of("me")).toBeNull();
  expect(of(undefined)).toBeNull();
  expect(of("a")).toBe("Anna Nowak");
  expect(of("o")).toBe("olga");
  expect(of("gone")).toBe(SOMEBODY);
});

test("nobody is called a stranger before it is known whose chat it is", () => {
  expect(authorOf("x", "me", {}, undefined)).toBeNull();
  expect(authorOf("x", undefined, {}, owner)).toBeNull();
});
