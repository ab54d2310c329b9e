import { type ChildModel, type OwnSettings, usePatchOwnSettings } from "@/api/catalog/settings";
import { SaveForm } from "../form/SaveForm";
import { SubagentFields, type SubagentValues, subagentOf } from "../form/SubagentFields";
import { useForm } from "../form/useForm";
import { Notice } from "../Rows";

type Own = OwnSettings["subagents"]["general"];

/** `deployment` is what administrators chose, `chat` the model of the chat itself. */
export function OwnSubagentsForm({ settings }: { settings: OwnSettings }) {
  const patch = usePatchOwnSettings();
  const form = useForm<SubagentValues>({
    initial: { general: typedOf(settings.subagents.general), explore: typedOf(settings.subagents.explore) },
    save: ({ general, explore }) =>
      patch.mutateAsync({ subagents: { general: choiceOf(general), explore: choiceOf(explore) } }),
  });
  return (
    <SaveForm form={form} label="Subagents" readOnly={!settings.subagents_allowed}>
      {!settings.subagents_allowed && <Notice>Administrators choose these models for all users.</Notice>}
      <SubagentFields form={form} none="As administrators chose" chat />
    </SaveForm>
  );
}

const typedOf = (own: Own): string =>
  own === undefined || own === "deployment" ? "" : own === "chat" ? "chat" : JSON.stringify(own);

const choiceOf = (value: string): "deployment" | "chat" | ChildModel =>
  value === "" ? "deployment" : value === "chat" ? "chat" : subagentOf(value);
