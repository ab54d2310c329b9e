import { type ServerSettings, usePatchServerSettings } from "@/api/catalog/settings";
import { Check } from "@/ui/Check";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Notice } from "../Rows";

export function DebugGateForm({ settings }: { settings: ServerSettings }) {
  const patch = usePatchServerSettings();
  const form = useForm({
    initial: { debug_records_allowed: settings.debug_records_allowed },
    save: (values) => patch.mutateAsync(values),
  });
  if (settings.debug_records_forced)
    return (
      <Notice>This server was started such that all chats are recorded. It can only be changed there.</Notice>
    );
  return (
    <SaveForm form={form} label="Debug records">
      <Check
        label="Users may record their chats"
        help="Records show what is sent to models and what comes back, without keys."
        {...form.check("debug_records_allowed")}
      />
    </SaveForm>
  );
}
