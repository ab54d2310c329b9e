import { type OwnSettings, usePatchOwnSettings } from "@/api/catalog/settings";
import { ModelSelect } from "../form/ModelSelect";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

export function OwnModelForm({ settings }: { settings: OwnSettings }) {
  const patch = usePatchOwnSettings();
  const form = useForm({
    initial: { model: settings.model ?? "" },
    save: ({ model }) => patch.mutateAsync({ model: model || null }),
  });
  return (
    <SaveForm form={form} label="Model">
      <ModelSelect
        label="Model of new chats"
        help="Where a chat is begun, another one can be chosen for it."
        none="As administrators chose"
        value={form.values.model}
        error={form.errorOf("model")}
        onChange={(model) => form.set({ model })}
      />
    </SaveForm>
  );
}
