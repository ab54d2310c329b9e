/** Which MCP servers a chat uses (pure). */

import type { McpServer } from "@/api/catalog/mcp";

/** Ids of servers; null: those that are on by default, as the server says. */
export type Chosen = readonly string[] | null;

export function isChosen(server: McpServer, chosen: Chosen): boolean {
  if (server.availability === "force_on") return true;
  return chosen === null ? server.availability === "default_on" : chosen.includes(server.id);
}

/** With one of them switched. What is always on need not be named. */
export function switched(servers: readonly McpServer[], chosen: Chosen, id: string): string[] {
  return servers
    .filter((each) => each.availability !== "force_on" && isChosen(each, chosen) !== (each.id === id))
    .map((each) => each.id);
}
