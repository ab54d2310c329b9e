import { type ServerSettings, usePatchServerSettings } from "@/api/catalog/settings";
import { ModelSelect } from "../form/ModelSelect";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";

export function CompactionForm({ settings }: { settings: ServerSettings }) {
  const patch = usePatchServerSettings();
  const form = useForm({
    initial: { compaction_model: settings.compaction_model ?? "" },
    save: ({ compaction_model }) => patch.mutateAsync({ compaction_model: compaction_model || null }),
  });
  return (
    <SaveForm form={form} label="Compaction">
      <ModelSelect
        label="Model for summaries"
        help="At which share of its context a chat is summed up is set with each model."
        none="The model of the chat"
        value={form.values.compaction_model}
        error={form.errorOf("compaction_model")}
        onChange={(compaction_model) => form.set({ compaction_model })}
      />
    </SaveForm>
  );
}
