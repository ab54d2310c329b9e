/** An MCP server as it is typed (pure). */

import type { McpServer, NewMcpServer } from "@/api/catalog/mcp";
import { wordsIn } from "@/lib/text/shellWords";
import type { MarkLook } from "../Rows";

export type Auth = NewMcpServer["auth_type"] & string;

export interface McpValues {
  slug: string;
  scope: "user" | "deployment";
  transport: "stdio" | "streamable_http" | "sse";
  url: string;
  command: string;
  /** One `NAME=value` on each line. */
  env: string;
  auth_type: Auth;
  api_key_header: string;
  api_key_value: string;
  /** One `Name: value` on each line. */
  custom_headers: string;
  /** Names, one on each line. */
  groups: string;
}

export const NEW_SERVER: McpValues = {
  slug: "",
  scope: "user",
  transport: "streamable_http",
  url: "",
  command: "",
  env: "",
  auth_type: "none",
  api_key_header: "Authorization",
  api_key_value: "",
  custom_headers: "",
  groups: "",
};

/** `NAME=value` or `Name: value` on each line; null: a line is neither. */
export function pairsIn(typed: string, separator: "=" | ":"): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const line of typed.split("\n").filter((each) => each.trim() !== "")) {
    const at = line.indexOf(separator);
    if (at <= 0) return null;
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return pairs;
}

const SLUG = /^[a-z0-9]+([-_][a-z0-9]+)*$/;

export function mcpProblems(values: McpValues): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!SLUG.test(values.slug))
    problems.slug = "Use lower-case letters, digits and single hyphens, such as my-tracker.";
  if (values.transport === "stdio") {
    if (wordsIn(values.command).length === 0) problems.command = "Enter the program and its arguments.";
    if (pairsIn(values.env, "=") === null) problems.env = "Write NAME=value on each line.";
    return problems;
  }
  if (values.url.trim() === "") problems.url = "Enter the address of the server.";
  if (values.auth_type === "api_key" && values.api_key_value.trim() === "")
    problems.api_key_value = "Enter the key.";
  const headers = pairsIn(values.custom_headers, ":");
  if (values.auth_type === "custom_headers" && (headers === null || Object.keys(headers).length === 0))
    problems.custom_headers = "Write Name: value on each line.";
  return problems;
}

/** None: it is for everyone. */
export function groupsIn(typed: string): string[] | null {
  const names = typed.split("\n").map((each) => each.trim());
  const named = names.filter((each) => each !== "");
  return named.length > 0 ? named : null;
}

export function mcpBody(values: McpValues): NewMcpServer {
  const { slug, transport } = values;
  if (transport === "stdio")
    return {
      slug,
      transport,
      // Programs run on the server's machine, so they are for all users and added by administrators.
      scope: "deployment",
      command: wordsIn(values.command),
      env: pairsIn(values.env, "=") ?? {},
      groups: groupsIn(values.groups),
    };
  return {
    slug,
    transport,
    scope: values.scope,
    url: values.url.trim(),
    ...AUTH_FIELDS[values.auth_type](values),
    groups: values.scope === "deployment" ? groupsIn(values.groups) : null,
  };
}

const AUTH_FIELDS: Readonly<Record<Auth, (values: McpValues) => Partial<NewMcpServer>>> = {
  none: () => ({ auth_type: "none" }),
  api_key: ({ api_key_header, api_key_value }) => ({
    auth_type: "api_key",
    api_key_header: api_key_header.trim() || "Authorization",
    api_key_value: api_key_value.trim(),
  }),
  custom_headers: ({ custom_headers }) => ({
    auth_type: "custom_headers",
    custom_headers: pairsIn(custom_headers, ":") ?? {},
  }),
  oauth2: () => ({ auth_type: "oauth2" }),
};

export interface ServerState {
  word: string;
  look: MarkLook;
}

const REASONS: Readonly<Record<NonNullable<McpServer["unavailable_reason"]>, ServerState>> = {
  disabled: { word: "Off", look: "plain" },
  not_connected: { word: "Sign-in needed", look: "warn" },
  not_given: { word: "Not for you", look: "plain" },
  secret_missing: { word: "Secret missing", look: "warn" },
  slug_taken: { word: "Name taken", look: "warn" },
};

/** For whom it is. Which groups these are, members are not told. */
export function forWhom(server: McpServer, isAdmin: boolean): string {
  if (!isAdmin) return "From an administrator";
  if (!server.groups) return "For all users";
  return `For ${server.groups.map((each) => each.name).join(", ") || "nobody"}`;
}

/** How your chats stand with it. */
export function serverState(server: McpServer): ServerState {
  if (server.unavailable_reason !== null) return REASONS[server.unavailable_reason];
  if (server.connection?.problem) return { word: "Not reached", look: "bad" };
  if (server.connection?.connected) return { word: "Connected", look: "good" };
  return { word: "Not needed yet", look: "plain" };
}
