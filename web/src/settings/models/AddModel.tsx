import { useId } from "react";
import {
  type KnownModel,
  type ModelView,
  type Provider,
  useAddModel,
  useKnownModels,
} from "@/api/catalog/providers";
import { Check } from "@/ui/Check";
import { Field, Select } from "@/ui/Field";
import { priceOf } from "../form/numbers";
import { SaveForm } from "../form/SaveForm";
import { type Form, useForm } from "../form/useForm";
import { Empty } from "../Loaded";
import { ModelFields } from "./ModelFields";
import { type ModelValues, modelBody, modelProblems, NEW_MODEL } from "./modelValues";

interface AddModelProps {
  providers: readonly Provider[];
  models: readonly ModelView[];
  onDone: () => void;
}

interface Values extends ModelValues {
  provider_id: string;
  model: string;
  is_default: boolean;
}

/** Where the scripted model is the default, the first real one takes its place. */
const hasRealModel = (models: readonly ModelView[]) =>
  models.some((model) => model.provider_type !== "scripted");

export function AddModel({ providers, models, onDone }: AddModelProps) {
  const usable = providers.filter((provider) => provider.enabled && provider.type !== "scripted");
  const add = useAddModel();
  const form = useForm<Values>({
    initial: {
      ...NEW_MODEL,
      // The one that was added last is the one that still needs a model.
      provider_id: usable.at(-1)?.id ?? "",
      model: "",
      is_default: !hasRealModel(models),
    },
    check: (values) => ({
      ...modelProblems(values),
      ...(values.model.trim() === "" && { model: "Choose a model, or write its name." }),
    }),
    save: ({ provider_id, model, is_default, ...values }) =>
      add.mutateAsync({ ...modelBody(values), provider_id, model: model.trim(), is_default }),
    onSaved: onDone,
  });
  if (usable.length === 0) return <Empty>Models need a provider. Add one below first.</Empty>;
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="Add a model" save="Add model" onCancel={onDone}>
        <Chosen form={form} providers={usable} />
        <Check
          label="Use it by default"
          help="For chats that choose no model."
          {...form.check("is_default")}
        />
      </SaveForm>
    </div>
  );
}

function Chosen({ form, providers }: { form: Form<Values>; providers: readonly Provider[] }) {
  const list = useId();
  const known = useKnownModels(form.values.provider_id || null).data?.models ?? [];
  const found = known.find((each) => each.model === form.values.model.trim());
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Provider"
          value={form.values.provider_id}
          error={form.errorOf("provider_id")}
          onChange={(event) => form.set({ provider_id: event.target.value, model: "" })}
        >
          {providers.map((provider) => (
            <option key={provider.id} value={provider.id}>
              {provider.display_name || provider.name}
            </option>
          ))}
        </Select>
        <Field
          label="Model"
          list={list}
          autoComplete="off"
          placeholder={known.at(-1)?.model ?? "As the provider calls it"}
          help={helpOf(known, found)}
          {...form.text("model")}
        />
        <datalist id={list}>
          {known.map((each) => (
            <option key={each.model} value={each.model}>
              {each.context_limit.toLocaleString()} tokens
            </option>
          ))}
        </datalist>
      </div>
      <ModelFields
        form={form as unknown as Form<ModelValues>}
        context={found ? found.context_limit.toLocaleString() : "What is publicly known"}
      />
    </>
  );
}

function helpOf(known: readonly KnownModel[], found: KnownModel | undefined): string {
  if (found)
    return `${found.context_limit.toLocaleString()} tokens; ${priceOf(found.prices.input)} in and ${priceOf(found.prices.output)} out per million.`;
  return known.length > 0
    ? `${known.length} known models to choose from, or any other name.`
    : "As the provider calls it.";
}
