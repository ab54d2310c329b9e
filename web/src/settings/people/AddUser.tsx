import { type UserRole, useAddUser } from "@/api/accounts/people";
import { linkWith } from "@/lib/browser/base";
import { Field } from "@/ui/Field";
import { Choice } from "../form/Choice";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { ROLE_NAMES, ROLES } from "./roles";
import type { Invited } from "./UsersPage";

const OPTIONS = ROLE_NAMES.map((value) => ({ value, label: ROLES[value].label, note: ROLES[value].about }));

export function AddUser({ onInvited, onDone }: { onInvited: (made: Invited) => void; onDone: () => void }) {
  const add = useAddUser();
  const form = useForm({
    initial: { name: "", display_name: "", role: "member" as UserRole },
    check: ({ name }): Record<string, string> => (name.trim() === "" ? { name: "Say who it is." } : {}),
    save: async (values) => {
      const made = await add.mutateAsync({ ...values, name: values.name.trim(), invite: true });
      if (made.code) onInvited({ name: made.name, link: linkWith(made.code) });
    },
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="Invite somebody" save="Make a link" onCancel={onDone}>
        <Field label="Name" placeholder="anna" help="To sign in and to share with." {...form.text("name")} />
        <Field label="Shown as" placeholder="Anna Adams" {...form.text("display_name")} />
        <Choice
          label="Role"
          options={OPTIONS}
          value={form.values.role}
          onChange={(role) => form.set({ role })}
        />
      </SaveForm>
    </div>
  );
}
