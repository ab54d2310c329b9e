import { Cable } from "lucide-react";
import { Link } from "wouter";
import { type McpServer, useMcpServers } from "@/api/catalog/mcp";
import { visible } from "@/lib/text/visible";
import { IconButton } from "@/ui/IconButton";
import { Popover } from "@/ui/overlay/Popover";
import { type Chosen, isChosen, switched } from "./mcp";

interface McpPickerProps {
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** Which MCP servers the agent may use. Not there where there is none to choose. */
export function McpPicker({ chosen, onChoose }: McpPickerProps) {
  const servers = (useMcpServers().data?.mcp_servers ?? []).filter(
    // What an administrator may change is not all for their own chats, but stays where it was chosen.
    (each) => each.enabled && (each.unavailable_reason !== "not_given" || (chosen ?? []).includes(each.id)),
  );
  if (servers.length === 0) return null;
  const count = servers.filter((each) => isChosen(each, chosen) && !each.unavailable_reason).length;
  return (
    <Popover
      label="MCP servers"
      side="top"
      className="w-72 text-sm"
      trigger={<IconButton icon={Cable} label={`MCP servers: ${count} on`} size="medium" hint={false} />}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-2 font-medium">MCP servers of this chat</legend>
        {servers.map((server) => (
          <ServerCheck
            key={server.id}
            server={server}
            checked={isChosen(server, chosen)}
            onChange={() => onChoose(switched(servers, chosen, server.id))}
          />
        ))}
      </fieldset>
      <Link href="/settings/mcp" className="mt-3 block text-xs text-accent hover:underline">
        Add and sign in to servers
      </Link>
    </Popover>
  );
}

interface ServerCheckProps {
  server: McpServer;
  checked: boolean;
  onChange: () => void;
}

function ServerCheck({ server, checked, onChange }: ServerCheckProps) {
  const isForced = server.availability === "force_on";
  const note = isForced
    ? "Always on, by the administrator."
    : server.unavailable_reason
      ? "It cannot be used now."
      : server.description;
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        checked={checked}
        disabled={isForced || (server.unavailable_reason !== null && !checked)}
        onChange={onChange}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        <span className="block truncate">{visible(server.display_name || server.slug)}</span>
        {note && <span className="block truncate text-xs text-muted">{visible(note)}</span>}
      </span>
    </label>
  );
}
