/** A message as it is told in detail (pure). */

import type { Message, Usage } from "@/api/types";

const COUNTS: readonly (readonly [field: keyof Usage, name: string])[] = [
  ["input_tokens", "Tokens in"],
  ["cache_read_tokens", "read from the cache"],
  ["cache_creation_tokens", "written to the cache"],
  ["output_tokens", "Tokens out"],
  ["reasoning_tokens", "of these for thinking"],
  ["context_tokens", "Context in use"],
  ["context_limit", "Context limit"],
  ["web_searches", "Web searches"],
];

/** What the provider has counted; zero means that it did not. */
export function usageFacts(usage: Usage | null): [string, string][] {
  if (usage === null) return [];
  return COUNTS.flatMap(([field, name]) => {
    const count = usage[field] ?? 0;
    return count > 0 ? [[name, count.toLocaleString()]] : [];
  });
}

export function neighbours(
  messages: readonly Message[],
  id: number,
): { previous: number | null; next: number | null } {
  const at = messages.findIndex((message) => message.id === id);
  return { previous: messages[at - 1]?.id ?? null, next: messages[at + 1]?.id ?? null };
}

/** What it begins with, or what it did. */
export function beginning(message: Message): string {
  for (const part of message.content) {
    if (part.type === "text" && part.text.trim() !== "") return plain(part.text.trim().split("\n")[0] ?? "");
  }
  const tools = message.content.flatMap((part) =>
    part.type === "tool-call" || part.type === "tool-result" ? part.tool_name : [],
  );
  return tools.length > 0 ? tools.join(", ") : `Message ${message.id}`;
}

/** Without the marks that Markdown has for headings, quotes, bold and code. */
const plain = (line: string): string => line.replace(/^(#{1,6}|>)\s+/, "").replace(/\*\*|`/g, "");
