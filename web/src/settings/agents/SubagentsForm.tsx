import { type ServerSettings, usePatchServerSettings } from "@/api/catalog/settings";
import { Check } from "@/ui/Check";
import { SaveForm } from "../form/SaveForm";
import { SubagentFields, type SubagentValues, subagentOf } from "../form/SubagentFields";
import { type Form, useForm } from "../form/useForm";

interface Values extends SubagentValues {
  own_allowed: boolean;
}

export function SubagentsForm({ settings }: { settings: ServerSettings }) {
  const patch = usePatchServerSettings();
  const { general, explore, own_allowed = false } = settings.subagents;
  const form = useForm<Values>({
    initial: {
      general: general ? JSON.stringify(general) : "",
      explore: explore ? JSON.stringify(explore) : "",
      own_allowed,
    },
    save: (values) =>
      patch.mutateAsync({
        subagents: {
          general: values.general ? subagentOf(values.general) : null,
          explore: values.explore ? subagentOf(values.explore) : null,
          own_allowed: values.own_allowed,
        },
      }),
  });
  return (
    <SaveForm form={form} label="Subagents">
      <SubagentFields form={form as unknown as Form<SubagentValues>} none="The model of the chat" />
      <Check label="Users may choose these models for themselves" {...form.check("own_allowed")} />
    </SaveForm>
  );
}
