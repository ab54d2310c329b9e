import { expect, test } from "vitest";
import type { McpServer } from "@/api/catalog/mcp";
import { forWhom, mcpBody, mcpProblems, NEW_SERVER, pairsIn, serverState } from "./mcpForm";

test("pairs are read line by line, and a value may hold the separator", () => {
  expect(pairsIn("A=1\n\n B = x=y ", "=")).toEqual({ A: "1", B: "x=y" });
  expect(pairsIn("Authorization: Bearer a:b", ":")).toEqual({ Authorization: "Bearer a:b" });
  expect(pairsIn("no pair", "=")).toBeNull();
});

test("a program is for all users, and is sent without what belongs to addresses", () => {
  const values = {
    ...NEW_SERVER,
    slug: "clock",
    transport: "stdio",
    command: 'run "two words"',
    url: "https://x",
  } as const;
  expect(mcpProblems(values)).toEqual({});
  expect(mcpBody(values)).toEqual({
    slug: "clock",
    transport: "stdio",
    scope: "deployment",
    command: ["run", "two words"],
    env: {},
    groups: null,
  });
});

test("secrets are sent only for the way of signing in that was chosen", () => {
  const values = {
    ...NEW_SERVER,
    slug: "a",
    url: "https://x/mcp",
    api_key_value: "left over",
    auth_type: "oauth2",
  } as const;
  expect(mcpBody(values)).toEqual({
    slug: "a",
    transport: "streamable_http",
    scope: "user",
    url: "https://x/mcp",
    auth_type: "oauth2",
    groups: null,
  });
  expect(Object.keys(mcpProblems({ ...values, auth_type: "api_key", api_key_value: "" }))).toEqual([
    "api_key_value",
  ]);
});

test("the state of a server is its problem before anything else", () => {
  const server = { unavailable_reason: null, connection: null } as McpServer;
  const connection = { connected: true, tools: 3, problem: null };
  expect(serverState(server).word).toBe("Not needed yet");
  expect(serverState({ ...server, connection }).word).toBe("Connected");
  expect(serverState({ ...server, connection: { ...connection, problem: "It is gone." } }).word).toBe(
    "Not reached",
  );
  expect(serverState({ ...server, connection, unavailable_reason: "not_connected" }).word).toBe(
    "Sign-in needed",
  );
});

test("a server for all users is given to the groups that are typed, and one's own to none", () => {
  const values = { ...NEW_SERVER, slug: "a", url: "https://x/mcp", groups: "Research, north\n\n ops " };
  expect(mcpBody({ ...values, scope: "deployment" }).groups).toEqual(["Research, north", "ops"]);
  expect(mcpBody({ ...values, scope: "user" }).groups).toBeNull();
});

test("administrators are told for whom a server is", () => {
  const server = { groups: null } as McpServer;
  expect(forWhom(server, true)).toBe("For all users");
  expect(forWhom({ ...server, groups: [{ id: "1", name: "Research" }] }, true)).toBe("For Research");
  expect(forWhom({ ...server, groups: [] }, true)).toBe("For nobody");
  expect(forWhom({} as McpServer, false)).toBe("From an administrator");
});
