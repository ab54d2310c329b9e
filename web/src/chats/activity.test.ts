import { expect, test } from "vitest";
import type { Children } from "@/api/types";
import { whyBusy } from "./activity";

const NONE: Children = { count: 0, at_work: 0, waiting: [] };
const waiting = [{ chat_id: "b", title: "b", waiting_for: [] }] as unknown as Children["waiting"];

// proves web-ui 6
test("a family in which something goes on cannot be put away, and it is said why", () => {
  expect(whyBusy("waiting", NONE)).toBeNull();
  expect(whyBusy("error", { ...NONE, count: 3 })).toBeNull();
  expect(whyBusy("running", NONE)).toBe("Not while the agent is at work.");
  expect(whyBusy("interrupting", NONE)).toBe("Not while the agent is at work.");
  expect(whyBusy("requires_action", NONE)).toBe("Not while the agent waits for you.");
  expect(whyBusy("waiting", { ...NONE, at_work: 1 })).toBe("Not while an agent works for it.");
  expect(whyBusy("waiting", { ...NONE, waiting })).toBe(
    "Not while an agent that works for it waits for you.",
  );
});
