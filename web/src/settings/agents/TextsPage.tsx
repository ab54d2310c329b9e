import { type ServerSettings, usePatchServerSettings, useServerSettings } from "@/api/catalog/settings";
import { Check } from "@/ui/Check";
import { ModelSelect } from "../form/ModelSelect";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Loaded } from "../Loaded";
import { Page } from "../Page";

export function TextsPage() {
  return (
    <Page
      title="Texts"
      about="A model writes a few words about each chat, beside its turns. They cost little, and are part of the chat's cost."
    >
      <Loaded query={useServerSettings()} what="The settings">
        {(settings) => settings && <TextsForm settings={settings} />}
      </Loaded>
    </Page>
  );
}

function TextsForm({ settings }: { settings: ServerSettings }) {
  const patch = usePatchServerSettings();
  const form = useForm({
    initial: {
      texts_model: settings.texts_model ?? "",
      titles: settings.titles,
      turn_labels: settings.turn_labels,
      chat_summaries: settings.chat_summaries,
    },
    save: (values) => patch.mutateAsync({ ...values, texts_model: values.texts_model || null }),
  });
  return (
    <SaveForm form={form} label="Texts">
      <ModelSelect
        label="Model"
        help="A small, quick one is enough."
        none="Chosen by the server: a small model of the chat's provider"
        value={form.values.texts_model}
        error={form.errorOf("texts_model")}
        onChange={(texts_model) => form.set({ texts_model })}
      />
      <Check
        label="Titles"
        help="After its first turn a chat gets a title instead of its first words."
        {...form.check("titles")}
      />
      <Check
        label="Labels"
        help="Each turn is told in two to five words in the list of chats."
        {...form.check("turn_labels")}
      />
      <Check
        label="Summaries"
        help="Every few turns, what the chat is about."
        {...form.check("chat_summaries")}
      />
    </SaveForm>
  );
}
