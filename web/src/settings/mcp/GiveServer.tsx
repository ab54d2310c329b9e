import { type McpServer, usePatchMcpServer } from "@/api/catalog/mcp";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { GroupsField } from "./GroupsField";
import { groupsIn } from "./mcpForm";

/** To whom an administrator gives a server. */
export function GiveServer({ server, onDone }: { server: McpServer; onDone: () => void }) {
  const patch = usePatchMcpServer();
  const form = useForm({
    initial: { groups: (server.groups ?? []).map((each) => each.name).join("\n") },
    save: ({ groups }) => patch.mutateAsync({ id: server.id, groups: groupsIn(groups) }),
    onSaved: onDone,
  });
  return (
    <SaveForm form={form} label={`Who may use ${server.slug}`} save="Save groups" onCancel={onDone}>
      <GroupsField {...form.text("groups")} />
      <p className="text-xs text-muted">Chats that have it already keep it.</p>
    </SaveForm>
  );
}
