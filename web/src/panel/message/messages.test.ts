import { expect, test } from "vitest";
import type { Message } from "@/api/types";
import { beginning, neighbours, usageFacts } from "./messages";

test("only what was counted is told", () => {
  expect(usageFacts({ input_tokens: 1200, output_tokens: 0, cache_read_tokens: 1000 })).toEqual([
    ["Tokens in", "1,200"],
    ["read from the cache", "1,000"],
  ]);
  expect(usageFacts(null)).toEqual([]);
});

test("a message knows the one before and the one after", () => {
  const messages = [1, 4, 9].map((id) => ({ id }) as Message);
  expect(neighbours(messages, 4)).toEqual({ previous: 1, next: 9 });
  expect(neighbours(messages, 9)).toEqual({ previous: 4, next: null });
});

test("a message is called by its first words, or by what it did", () => {
  const text = {
    id: 1,
    content: [{ type: "text", text: "\n## **Hello**, `snake_case`\nthere" }],
  } as unknown as Message;
  const call = { id: 2, content: [{ type: "tool-call", tool_name: "execute" }] } as unknown as Message;
  expect([beginning(text), beginning(call), beginning({ id: 3, content: [] } as unknown as Message)]).toEqual(
    ["Hello, snake_case", "execute", "Message 3"],
  );
});
