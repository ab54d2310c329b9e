// @vitest-environment jsdom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { queries } from "@/api/queries";
import { show } from "../../../tests/rendered";
import { json, server } from "../../../tests/server";
import { CostSection } from "./CostSection";

interface Priced {
  cost_micros_total: number;
  unpriced_calls: number;
}

const priced = (cost_micros_total: number, unpriced_calls = 0): Priced => ({
  cost_micros_total,
  unpriced_calls,
});

async function told(chat: Priced, children: readonly Priced[] = []): Promise<string> {
  cleanup();
  queries.clear();
  server(({ what }) =>
    json(what.endsWith("/children") ? { chats: children } : { ...chat, usage_total: { input_tokens: 7 } }),
  );
  const { container } = show(<CostSection chatId="a-chat" />);
  await screen.findByText("This chat");
  if (children.length > 0) await waitFor(() => expect(container.textContent).toContain("Together"));
  return container.textContent ?? "";
}

test("what a chat costs, as far as prices are known", async () => {
  expect(await told(priced(0))).toContain("This chat0.00");
  expect(await told(priced(500))).toContain("This chatless than 0.01");
  expect(await told(priced(120_000, 2))).toMatch(/This chat0\.12.*2 calls is not known, so it is more/);
  const unknown = await told(priced(0, 3));
  expect(unknown).toContain("This chatnot known");
  expect(unknown).toContain("The price of 3 calls is not known.");
});

test("agents that work for it are told apart and added", async () => {
  expect(await told(priced(120_000), [priced(30_000)])).toMatch(/1 subagent0\.03Together0\.15/);
});
