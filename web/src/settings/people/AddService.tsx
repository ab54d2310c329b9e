import { useAddService, useGroups } from "@/api/accounts/people";
import { Field, Select } from "@/ui/Field";
import { Choice } from "../form/Choice";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

/** What services are for: for whom one speaks, and what it may do itself. */
const KINDS = [
  { value: "product", label: "Speaks for its own users", note: "a product and its customers" },
  { value: "bot", label: "Speaks for people of a group", note: "a bot in a team's chat" },
  { value: "alone", label: "Speaks for itself", note: "a program with chats of its own" },
  { value: "auditor", label: "Looks on", note: "reads metrics and the audit" },
] as const;

type Kind = (typeof KINDS)[number]["value"];

const WANTED = {
  product: { acts_for: "end_users", role: "member" },
  bot: { acts_for: "group", role: "member" },
  alone: { acts_for: "nobody", role: "member" },
  auditor: { acts_for: "nobody", role: "auditor" },
} as const;

export function AddService({ onDone }: { onDone: () => void }) {
  const add = useAddService();
  const groups = useGroups().data ?? [];
  const form = useForm({
    initial: { name: "", kind: "product" as Kind, group_id: "" },
    check: ({ name, kind, group_id }): Record<string, string> => ({
      ...(name.trim() === "" && { name: "Give it a name." }),
      ...(kind === "bot" && group_id === "" && { group_id: "Choose a group." }),
    }),
    save: ({ name, kind, group_id }) =>
      add.mutateAsync({ name: name.trim(), ...WANTED[kind], ...(kind === "bot" && { group_id }) }),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="New service" save="Add service" onCancel={onDone}>
        <Field label="Name" placeholder="shop" {...form.text("name")} />
        <Choice
          label="What it does"
          options={KINDS}
          value={form.values.kind}
          onChange={(kind) => form.set({ kind })}
        />
        {form.values.kind === "bot" && (
          <Select
            label="Group"
            help="Never for administrators or auditors, even if they are in it."
            {...form.text("group_id")}
          >
            <option value="">Choose a group</option>
            {groups.map((group) => (
              <option key={group.id} value={group.id}>
                {group.name}
              </option>
            ))}
          </Select>
        )}
      </SaveForm>
    </div>
  );
}
