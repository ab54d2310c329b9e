import { type Account, changeAccount } from "@/api/accounts/account";
import { Field } from "@/ui/Field";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

const NAME_MAX = 200;

const ROLES: Readonly<Record<Account["role"], string>> = {
  admin: "Administrator: you run this server.",
  auditor: "Auditor: you see users, the audit and numbers about this server, beside your own chats.",
  member: "Member: you start chats of your own.",
  viewer: "Viewer: you read what is shared with you, and start no chats.",
};

/** How one is shown to others. The name and the role are the administrators' to change. */
export function NameForm({ account, isReadOnly }: { account: Account; isReadOnly: boolean }) {
  const form = useForm({
    initial: { display_name: account.display_name },
    save: ({ display_name }) => changeAccount({ display_name: display_name.trim() }),
  });
  return (
    <SaveForm form={form} label="Name" readOnly={isReadOnly}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">Name</dt>
        <dd className="break-words">{account.name}</dd>
        <dt className="text-muted">Role</dt>
        <dd>{ROLES[account.role]}</dd>
        {account.email && (
          <>
            <dt className="text-muted">E-mail</dt>
            <dd className="break-words">{account.email}</dd>
          </>
        )}
      </dl>
      <Field
        label="Display name"
        autoComplete="name"
        maxLength={NAME_MAX}
        placeholder={account.name}
        help="What others see of you, where something is shared. Empty: your name."
        {...form.text("display_name")}
      />
    </SaveForm>
  );
}
