import { expect, test } from "vitest";
import { failureInAddress, pathHere } from "./signInWays";

test("a failure at the identity provider is told in words, and nothing of the address is repeated", () => {
  expect(failureInAddress("")).toBeNull();
  expect(failureInAddress("?failed=not_invited")).toContain("invite you");
  expect(failureInAddress("?failed=<b>hello</b>")).toBe("You were not signed in. Try again.");
  expect(failureInAddress("?failed=constructor")).toBe("You were not signed in. Try again.");
});

test("a person comes back to the page where they were, and not to the one for signing in", () => {
  expect(pathHere({ pathname: "/chats/1", search: "?panel=files" })).toBe("/chats/1?panel=files");
  expect(pathHere({ pathname: "/sign-in", search: "?failed=away" })).toBe("/");
  expect(pathHere({ pathname: "/", search: "" })).toBe("/");
});
