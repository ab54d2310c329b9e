import { expect, test } from "vitest";
import type { Message, Usage } from "@/api/types";
import { costOf, filledBy, money } from "./filled";

const message = (usage: Usage | null) => ({ usage }) as Message;

test("the newest message that was counted tells how full the context is", () => {
  const messages = [
    message({ context_tokens: 10, context_limit: 1000 }),
    message({ context_tokens: 250, context_limit: 1000 }),
    message(null),
    message({}),
  ];
  expect(filledBy(messages)).toEqual({ tokens: 250, limit: 1000, percent: 25, isEstimate: false });
  expect(filledBy([message(null)])).toBeNull();
});

test("where the provider did not count, the estimate is told as one", () => {
  expect(filledBy([message({ context_estimate: 900, context_limit: 1000 })])).toMatchObject({
    percent: 90,
    isEstimate: true,
  });
});

test("money is told in whole cents, and little is not nothing", () => {
  expect([0, 1, 9_999, 10_000, 1_234_567].map(money)).toEqual([
    "0.00",
    "less than 0.01",
    "less than 0.01",
    "0.01",
    "1.23",
  ]);
});

test("a chat costs what it and those that work for it cost", () => {
  const child = { cost_micros_total: 5, unpriced_calls: 1 };
  expect(costOf({ cost_micros_total: 7, unpriced_calls: 2 }, [child, child])).toEqual({
    own: 7,
    children: 10,
    childCount: 2,
    unpriced: 4,
  });
});
