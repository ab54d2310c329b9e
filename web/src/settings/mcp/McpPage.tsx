import { Plus } from "lucide-react";
import { useState } from "react";
import { usePermits } from "@/api/accounts/permits";
import { useMcpServers } from "@/api/catalog/mcp";
import { Button } from "@/ui/Button";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Rows } from "../Rows";
import { AddServer } from "./AddServer";
import { ServerRow } from "./ServerRow";

export default function McpPage() {
  const servers = useMcpServers();
  const isAdmin = usePermits().data?.has("policy.change") ?? false;
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title="MCP servers"
      about="Programs and services that bring tools for agents: trackers, databases, search. Each chat can choose among them."
      actions={
        <Button onClick={() => setAdding(true)} disabled={isAdding}>
          <Plus aria-hidden size={16} /> Add server
        </Button>
      }
    >
      {isAdding && <AddServer isAdmin={isAdmin} onDone={() => setAdding(false)} />}
      <Loaded query={servers} what="MCP servers">
        {({ mcp_servers }) =>
          mcp_servers.length === 0 ? (
            <Empty>There are no MCP servers yet. Add one, and its tools are offered to your agents.</Empty>
          ) : (
            <Rows label="MCP servers">
              {mcp_servers.map((server) => (
                <ServerRow key={server.id} server={server} isAdmin={isAdmin} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  );
}
