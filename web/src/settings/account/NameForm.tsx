import { type Account, changeAccount } from "@/api/accounts/account";
import { Field } from "@/ui/Field";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

const NAME_MAX = 200;

/** How one is shown to others. The name itself is the administrators' to change. */
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
