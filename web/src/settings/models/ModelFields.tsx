import type { Effort } from "@/api/types";
import { Field, Select } from "@/ui/Field";
import { EFFORT_NAMES } from "../form/ModelSelect";
import type { Form } from "../form/useForm";
import { Notice } from "../Rows";
import { EFFORTS, type ModelValues } from "./modelValues";

/** What can be set of any model, new or old. */
export function ModelFields({ form, context }: { form: Form<ModelValues>; context: string }) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Shown as (optional)" {...form.text("display_name")} />
        <Field
          label="Context limit"
          help="How many tokens the model holds."
          placeholder={context}
          inputMode="numeric"
          {...form.text("context_limit")}
        />
        <EffortField form={form} name="effort_max" label="Highest effort" none="Users cannot choose" />
        <EffortField
          form={form}
          name="effort_default"
          label="Usual effort"
          none="As the model does by itself"
        />
        <Field
          label="Compaction at"
          help="Percent of the context at which older messages are summed up."
          inputMode="numeric"
          {...form.text("compression_threshold")}
        />
      </div>
      {form.values.compression_threshold.trim() === "100" && (
        <Notice look="warn">
          At 100 nothing is summed up by itself: a chat that is full fails until a person compacts it.
        </Notice>
      )}
    </>
  );
}

interface EffortFieldProps {
  form: Form<ModelValues>;
  name: "effort_max" | "effort_default";
  label: string;
  none: string;
}

function EffortField({ form, name, label, none }: EffortFieldProps) {
  return (
    <Select
      label={label}
      value={form.values[name]}
      error={form.errorOf(name)}
      onChange={(event) => form.set({ [name]: event.target.value as Effort | "" })}
    >
      <option value="">{none}</option>
      {EFFORTS.map((effort) => (
        <option key={effort} value={effort}>
          {EFFORT_NAMES[effort]}
        </option>
      ))}
    </Select>
  );
}
