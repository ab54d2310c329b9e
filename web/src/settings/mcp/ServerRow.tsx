import { Ellipsis, FlaskConical, LogOut, Power, Trash2, Users } from "lucide-react";
import { useState } from "react";
import {
  type McpServer,
  useDeleteMcpServer,
  useDisconnectMcpServer,
  usePatchMcpServer,
  useTestMcpServer,
} from "@/api/catalog/mcp";
import { sentence } from "@/api/errors";
import { plural } from "@/lib/text/words";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";
import { Probe } from "../models/providers/Probe";
import { Mark, Row } from "../Rows";
import { GiveServer } from "./GiveServer";
import { forWhom, serverState } from "./mcpForm";
import { SignIn } from "./SignIn";
import { ToolList } from "./ToolList";

interface ServerRowProps {
  server: McpServer;
  isAdmin: boolean;
}

const onError = (error: unknown) => toast({ text: sentence(error), bad: true });

export function ServerRow({ server, isAdmin }: ServerRowProps) {
  const [isDeleting, setDeleting] = useState(false);
  const [isGiving, setGiving] = useState(false);
  const test = useTestMcpServer();
  const state = serverState(server);
  const shown = server.display_name || server.slug;
  return (
    <Row
      title={shown}
      marks={
        <>
          <Mark look={state.look}>{state.word}</Mark>
          {server.scope === "deployment" && <Mark>{forWhom(server, isAdmin)}</Mark>}
          {server.declared && <Mark>From the server's configuration</Mark>}
        </>
      }
      note={noteOf(server)}
      actions={
        <>
          <Button
            size="small"
            busy={test.isPending}
            aria-label={`Test ${shown}`}
            onClick={() => test.mutate(server.id)}
          >
            {!test.isPending && <FlaskConical aria-hidden size={14} />} Test
          </Button>
          <Actions
            server={server}
            isAdmin={isAdmin}
            onGive={() => setGiving(true)}
            onDelete={() => setDeleting(true)}
          />
        </>
      }
    >
      {server.auth_type === "oauth2" && !server.auth_connected && <SignIn server={server} />}
      <Probe result={test.data ?? null} error={test.error} />
      {test.data && <ToolList tools={test.data.tools} />}
      {isGiving && <GiveServer server={server} onDone={() => setGiving(false)} />}
      {isDeleting && <DeleteServer server={server} onClose={() => setDeleting(false)} />}
    </Row>
  );
}

function noteOf(server: McpServer): string {
  const where = server.transport === "stdio" ? server.command?.join(" ") : server.url;
  const tools = server.connection?.connected ? plural(server.connection.tools, "tool") : null;
  return [server.description, where, tools, server.connection?.problem].filter(Boolean).join(" · ");
}

interface ActionsProps extends ServerRowProps {
  onGive: () => void;
  onDelete: () => void;
}

function Actions({ server, isAdmin, onGive, onDelete }: ActionsProps) {
  const patch = usePatchMcpServer();
  const disconnect = useDisconnectMcpServer();
  const mayChange = !server.declared && (server.scope === "user" || isAdmin);
  const items: MenuItem[] = [];
  if (server.auth_type === "oauth2" && server.auth_connected)
    items.push({
      label: "Forget sign-in",
      icon: LogOut,
      onSelect: () => disconnect.mutate(server.id, { onError }),
    });
  if (mayChange && server.scope === "deployment")
    items.push({ label: "Give to groups…", icon: Users, onSelect: onGive });
  if (mayChange)
    items.push(
      {
        label: server.enabled ? "Switch off" : "Switch on",
        icon: Power,
        onSelect: () => patch.mutate({ id: server.id, enabled: !server.enabled }, { onError }),
      },
      "line",
      { label: "Remove", icon: Trash2, danger: true, onSelect: onDelete },
    );
  if (items.length === 0) return null;
  return (
    <Menu items={items}>
      <IconButton icon={Ellipsis} label={`Actions of ${server.slug}`} hint={false} />
    </Menu>
  );
}

function DeleteServer({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const remove = useDeleteMcpServer();
  return (
    <Confirm
      title={`Remove ${server.display_name || server.slug}?`}
      action="Remove server"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(server.id, { onSuccess: onClose })}
    >
      <p>
        Its tools are gone for {server.scope === "deployment" ? "the chats of all users" : "your chats"}, and
        its secrets and sign-ins are forgotten.
      </p>
    </Confirm>
  );
}
