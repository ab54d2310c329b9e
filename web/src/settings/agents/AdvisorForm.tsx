import { type Advisor, usePutAdvisor } from "@/api/catalog/settings";
import type { Effort } from "@/api/types";
import { Check } from "@/ui/Check";
import { Field } from "@/ui/Field";
import { EffortSelect, ModelSelect } from "../form/ModelSelect";
import { wholeNumber } from "../form/numbers";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

const USES_MAX = 10_000;
const TOKENS_MAX = 10_000_000;

interface Values {
  enabled: boolean;
  model: string;
  reasoning_effort: Effort | "";
  max_uses_per_turn: string;
  max_output_tokens: string;
  for_children: boolean;
}

export function AdvisorForm({ advisor }: { advisor: Advisor }) {
  const put = usePutAdvisor();
  const form = useForm<Values>({
    initial: {
      enabled: advisor.enabled,
      model: advisor.model ?? "",
      reasoning_effort: advisor.reasoning_effort ?? "",
      max_uses_per_turn: String(advisor.max_uses_per_turn),
      max_output_tokens: String(advisor.max_output_tokens),
      for_children: advisor.for_children,
    },
    check: (values) => ({
      ...wholeNumber("max_uses_per_turn", values.max_uses_per_turn, USES_MAX),
      ...wholeNumber("max_output_tokens", values.max_output_tokens, TOKENS_MAX),
    }),
    save: (values) =>
      put.mutateAsync({
        ...values,
        model: values.model || null,
        reasoning_effort: values.reasoning_effort || null,
        max_uses_per_turn: Number(values.max_uses_per_turn),
        max_output_tokens: Number(values.max_output_tokens),
      }),
  });
  return (
    <SaveForm form={form} label="Advisor">
      <Check
        label="Agents can ask an advisor"
        help="Its calls are charged as calls of the chat."
        {...form.check("enabled")}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <ModelSelect
          label="Model"
          none="The model of the chat"
          value={form.values.model}
          error={form.errorOf("model")}
          onChange={(model) => form.set({ model, reasoning_effort: "" })}
        />
        <EffortSelect
          label="Effort"
          model={form.values.model}
          value={form.values.reasoning_effort}
          error={form.errorOf("reasoning_effort")}
          onChange={(reasoning_effort) => form.set({ reasoning_effort })}
        />
        <Field
          label="Questions in a turn"
          help="0: as many as the agent likes."
          inputMode="numeric"
          {...form.text("max_uses_per_turn")}
        />
        <Field
          label="Length of an answer"
          help="In tokens. 0: the usual length."
          inputMode="numeric"
          {...form.text("max_output_tokens")}
        />
      </div>
      <Check label="Also for agents that work for others" {...form.check("for_children")} />
    </SaveForm>
  );
}
