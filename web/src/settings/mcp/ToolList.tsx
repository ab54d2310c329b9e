import type { McpProbe } from "@/api/catalog/mcp";
import { plural } from "@/lib/text/words";
import { Mark } from "../Rows";

/** What a server offers, as it told when it was tested. */
export function ToolList({ tools }: { tools: McpProbe["tools"] }) {
  if (tools.length === 0) return null;
  return (
    <details className="mt-2 text-sm">
      <summary className="cursor-pointer text-muted hover:text-text">{plural(tools.length, "tool")}</summary>
      <ul className="mt-2 flex flex-col gap-2">
        {tools.map((tool) => (
          <li key={tool.name}>
            <p className="flex flex-wrap items-center gap-2">
              <code className="text-xs font-medium">{tool.name}</code>
              {!tool.offered && <Mark>Left out</Mark>}
            </p>
            <p className="line-clamp-2 text-xs text-muted">{tool.description}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
