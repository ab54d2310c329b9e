import { useAddMcpServer } from "@/api/catalog/mcp";
import { Field, Select, TextArea } from "@/ui/Field";
import { KeyField } from "../form/KeyField";
import { SaveForm } from "../form/SaveForm";
import { type Form, useForm } from "../form/useForm";
import { GroupsField } from "./GroupsField";
import { type Auth, type McpValues, mcpBody, mcpProblems, NEW_SERVER } from "./mcpForm";

interface AddServerProps {
  isAdmin: boolean;
  onDone: () => void;
}

export function AddServer({ isAdmin, onDone }: AddServerProps) {
  const add = useAddMcpServer();
  const form = useForm<McpValues>({
    initial: NEW_SERVER,
    check: mcpProblems,
    save: (values) => add.mutateAsync(mcpBody(values)),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="Add an MCP server" save="Add server" onCancel={onDone}>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Name"
            help="The names of its tools begin with it."
            placeholder="tracker"
            {...form.text("slug")}
          />
          <Select
            label="How it is reached"
            value={form.values.transport}
            onChange={(event) => form.set({ transport: event.target.value as McpValues["transport"] })}
          >
            <option value="streamable_http">Over HTTP</option>
            <option value="sse">Over HTTP, the older way (SSE)</option>
            {isAdmin && <option value="stdio">A program on the server's machine</option>}
          </Select>
        </div>
        {form.values.transport === "stdio" ? (
          <ProgramFields form={form} />
        ) : (
          <AddressFields form={form} isAdmin={isAdmin} />
        )}
        {(form.values.transport === "stdio" || form.values.scope === "deployment") && (
          <GroupsField {...form.text("groups")} />
        )}
      </SaveForm>
    </div>
  );
}

function ProgramFields({ form }: { form: Form<McpValues> }) {
  return (
    <>
      <Field
        label="Command"
        help="The program and its arguments. It runs for all users."
        placeholder="uvx mcp-server-time"
        className="font-mono"
        {...form.text("command")}
      />
      <TextArea
        label="Environment (optional)"
        help="NAME=value on each line. Kept encrypted and never shown again."
        rows={2}
        className="font-mono"
        {...form.text("env")}
      />
    </>
  );
}

function AddressFields({ form, isAdmin }: { form: Form<McpValues>; isAdmin: boolean }) {
  return (
    <>
      <Field label="Address" inputMode="url" placeholder="https://example.org/mcp" {...form.text("url")} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Signing in"
          value={form.values.auth_type}
          onChange={(event) => form.set({ auth_type: event.target.value as Auth })}
        >
          <option value="none">Not needed</option>
          <option value="oauth2">In the browser (OAuth)</option>
          <option value="api_key">With a key</option>
          <option value="custom_headers">With headers of your own</option>
        </Select>
        {isAdmin && (
          <Select
            label="For"
            value={form.values.scope}
            onChange={(event) => form.set({ scope: event.target.value as McpValues["scope"] })}
          >
            <option value="user">Only you</option>
            <option value="deployment">All users</option>
          </Select>
        )}
      </div>
      {form.values.auth_type === "api_key" && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Header" {...form.text("api_key_header")} />
          <KeyField
            label="Key"
            help="Kept encrypted and never shown again."
            {...form.text("api_key_value")}
          />
        </div>
      )}
      {form.values.auth_type === "custom_headers" && (
        <TextArea
          label="Headers"
          help="Name: value on each line. Kept encrypted and never shown again."
          rows={3}
          className="font-mono"
          {...form.text("custom_headers")}
        />
      )}
    </>
  );
}
