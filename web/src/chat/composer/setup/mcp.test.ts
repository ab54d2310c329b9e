import { expect, test } from "vitest";
import type { McpServer } from "@/api/catalog/mcp";
import { isChosen, switched } from "./mcp";

const server = (id: string, availability: McpServer["availability"]) => ({ id, availability }) as McpServer;
const ALL = [server("forced", "force_on"), server("usual", "default_on"), server("rare", "default_off")];
const on = (chosen: readonly string[] | null) =>
  ALL.filter((each) => isChosen(each, chosen)).map((each) => each.id);

test("without a choice a chat uses what is on by default, and what is forced always", () => {
  expect(on(null)).toEqual(["forced", "usual"]);
  expect(on([])).toEqual(["forced"]);
  expect(on(["rare"])).toEqual(["forced", "rare"]);
});

test("a switch changes one, and keeps the others as they were", () => {
  expect(switched(ALL, null, "rare")).toEqual(["usual", "rare"]);
  expect(switched(ALL, null, "usual")).toEqual([]);
  expect(switched(ALL, ["usual", "rare"], "rare")).toEqual(["usual"]);
});
