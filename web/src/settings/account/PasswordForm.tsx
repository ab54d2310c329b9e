import { useState } from "react";
import { type Account, changeAccount } from "@/api/accounts/account";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { toast } from "@/ui/overlay/Toast";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

/** The server says it again, and more: no name, none of the commonest. */
const PASSWORD_MIN = 12;

/** Who has a password has to know it to choose another one. */
export function PasswordForm({ account }: { account: Account }) {
  const [isOpen, setOpen] = useState(false);
  const verb = account.has_password ? "Change password" : "Choose a password";
  if (!isOpen) {
    return (
      <Button size="small" className="self-start" onClick={() => setOpen(true)}>
        {verb}
      </Button>
    );
  }
  return <ChooseForm account={account} verb={verb} onDone={() => setOpen(false)} />;
}

const EMPTY = { old: "", new: "", again: "" };

interface ChooseFormProps {
  account: Account;
  verb: string;
  onDone: () => void;
}

function ChooseForm({ account, verb, onDone }: ChooseFormProps) {
  const hasOne = account.has_password === true;
  const form = useForm({
    initial: EMPTY,
    check: (values) => wrongWith(values, hasOne),
    save: (values) => changeAccount({ password: { new: values.new, ...(hasOne && { old: values.old }) } }),
    onSaved: () => {
      toast({ text: "Your password is set. Other browsers of yours are signed out." });
      onDone();
    },
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label={verb} save={verb} onCancel={onDone}>
        {/* Without a name beside it, a password manager would not know whose it is. */}
        <input type="text" autoComplete="username" value={account.name} readOnly hidden />
        {hasOne && (
          <Field
            label="Your password"
            type="password"
            autoComplete="current-password"
            {...form.text("old")}
          />
        )}
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          help={`At least ${PASSWORD_MIN} characters.`}
          {...form.text("new")}
        />
        <Field label="Once more" type="password" autoComplete="new-password" {...form.text("again")} />
      </SaveForm>
    </div>
  );
}

function wrongWith(values: typeof EMPTY, hasOne: boolean): Record<string, string> {
  const wrong: Record<string, string> = {};
  if (hasOne && values.old === "") wrong.old = "Say the password that you have.";
  if (values.new.length < PASSWORD_MIN) wrong.new = `It needs at least ${PASSWORD_MIN} characters.`;
  if (values.again !== values.new) wrong.again = "These two are not the same.";
  return wrong;
}
