import { expect, test } from "vitest";
import type { Token } from "@/api/accounts/access";
import { lifeOf, purposeOf } from "./purposes";

const NOW = Date.parse("2027-01-15T12:00:00Z");
const token = (more: Partial<Token>): Token =>
  ({ created_at: "2027-01-01T00:00:00Z", expires_at: null, used_at: null, ...more }) as Token;

test("scopes are said as what they are for, in whichever order they come", () => {
  expect(purposeOf(["models:read", "files:write", "chats:write", "chats:read"])).toBe("To chat");
  expect(purposeOf(["metrics:read"])).toBe("To read the metrics");
});

test("scopes that serve no usual purpose are named", () => {
  expect(purposeOf(["audit:read", "usage:read"])).toBe("audit:read, usage:read");
});

test("a token that has ended, and one that nobody uses, are told from others", () => {
  expect(lifeOf(token({ expires_at: "2027-01-14T00:00:00Z" }), NOW)).toContain("ended Jan 1");
  expect(lifeOf(token({ expires_at: "2027-01-16T00:00:00Z" }), NOW)).toContain("ends Jan 1");
  expect(lifeOf(token({}), NOW)).toContain("does not end · never used");
  expect(lifeOf(token({ used_at: "2027-01-02T00:00:00Z" }), NOW)).toContain("last used Jan ");
});
