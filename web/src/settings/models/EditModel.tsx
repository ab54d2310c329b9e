import { type ModelView, usePatchModel } from "@/api/catalog/providers";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { ModelFields } from "./ModelFields";
import { type ModelValues, modelBody, modelProblems, valuesOf } from "./modelValues";

export function EditModel({ model, onDone }: { model: ModelView; onDone: () => void }) {
  const patch = usePatchModel();
  const form = useForm<ModelValues>({
    initial: valuesOf(model),
    check: modelProblems,
    save: (values) => patch.mutateAsync({ id: model.id, ...modelBody(values, model.options) }),
    onSaved: onDone,
  });
  return (
    <SaveForm form={form} label={`Change ${model.name}`} onCancel={onDone}>
      <ModelFields form={form} context={model.context_limit.toLocaleString()} />
    </SaveForm>
  );
}
