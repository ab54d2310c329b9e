import { type OwnSettings, usePatchOwnSettings } from "@/api/catalog/settings";
import { Check } from "@/ui/Check";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Notice } from "../Rows";

/** Whether what is sent to models is kept, to be looked at beside a chat. */
export function DebugForm({ settings }: { settings: OwnSettings }) {
  const patch = usePatchOwnSettings();
  const form = useForm({
    initial: { debug_records: settings.debug_records },
    save: ({ debug_records }) => patch.mutateAsync({ debug_records }),
  });
  if (settings.debug_records_forced) return <Notice>This server records all chats.</Notice>;
  if (!settings.debug_records_allowed)
    return <Notice>Chats are not recorded on this server. An administrator can allow it.</Notice>;
  return (
    <SaveForm form={form} label="Debug records">
      <Check
        label="Record my chats"
        help="What is sent to models and what comes back is kept, without keys. You find it beside each chat."
        {...form.check("debug_records")}
      />
    </SaveForm>
  );
}
