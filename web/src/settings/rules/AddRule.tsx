import { useAddRule, type Verdict } from "@/api/catalog/rules";
import { Field } from "@/ui/Field";
import { Choice } from "../form/Choice";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { VERDICTS } from "./RuleRow";
import { NEW_RULE, type RuleValues, ruleBody } from "./ruleForm";

const OPTIONS = (Object.keys(VERDICTS) as Verdict[]).map((value) => ({ value, ...VERDICTS[value] }));

/** New rules come first, so they count before the others. */
export function AddRule({ onDone }: { onDone: () => void }) {
  const add = useAddRule();
  const form = useForm<RuleValues>({
    initial: NEW_RULE,
    save: (values) => add.mutateAsync(ruleBody(values)),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="Add a rule" save="Add rule" onCancel={onDone}>
        <Choice<Verdict>
          label="When everything below fits"
          value={form.values.verdict}
          options={OPTIONS}
          onChange={(verdict) => form.set({ verdict })}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Tool"
            help="Such as execute, edit_file or mcp names. * stands for anything; empty: any tool."
            placeholder="*"
            {...form.text("tool")}
          />
          <Field
            label="Command"
            help="Its words, such as: git push *. A * at the end stands for any further words."
            placeholder="git push *"
            {...form.text("words")}
          />
          <Field
            label="Files"
            help="Patterns, separated by commas; one of them must fit. ** stands for any folders."
            placeholder="docs/**"
            {...form.text("paths")}
          />
          <Field
            label="Hosts"
            help="Of pages on the internet, separated by commas."
            placeholder="docs.python.org"
            {...form.text("hosts")}
          />
          <Field
            label="Workspace"
            help="A pattern for its folder. Empty: any."
            placeholder="/srv/projects/*"
            {...form.text("workspace")}
          />
        </div>
        <p className="text-xs text-muted">The rule becomes the first of yours. You can move it afterwards.</p>
      </SaveForm>
    </div>
  );
}
