import { expect, test } from "vitest";
import type { Status } from "@/api/types";
import { aChat } from "../../tests/chats";
import { newsOf } from "./news";

const from = (before: Status | null, now: Status, more: object = {}) =>
  newsOf(
    before === null ? undefined : aChat("Tidy up", { status: before }),
    aChat("Tidy up", { status: now, ...more }),
  )?.text ?? null;

test("a turn that ends, fails or waits for somebody is news", () => {
  const last_error = { message: "The key was refused.", kind: "auth", retryable: false };

  expect(from("running", "waiting")).toBe("The agent is done.");
  expect(from("running", "requires_action")).toBe("The agent needs you.");
  expect(from("running", "error", { last_error })).toBe("The key was refused.");
});

test("what a person did, what goes on and what was not seen before is none", () => {
  expect(from("interrupting", "waiting")).toBeNull();
  expect(from("requires_action", "running")).toBeNull();
  expect(from("running", "running")).toBeNull();
  expect(from("waiting", "waiting")).toBeNull();
  expect(from(null, "waiting")).toBeNull();
});
