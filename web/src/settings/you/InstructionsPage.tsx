import { type OwnSettings, useOwnSettings, usePatchOwnSettings } from "@/api/catalog/settings";
import { PromptArea } from "../form/PromptArea";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Loaded } from "../Loaded";
import { Page } from "../Page";

export function InstructionsPage() {
  return (
    <Page
      title="Instructions"
      about="What every agent should know of you and how you like to work. All of your chats begin with it, from their next turn on."
    >
      <Loaded query={useOwnSettings()} what="Your instructions">
        {(settings) => <InstructionsForm settings={settings} />}
      </Loaded>
    </Page>
  );
}

function InstructionsForm({ settings }: { settings: OwnSettings }) {
  const patch = usePatchOwnSettings();
  const form = useForm({
    initial: { prompt: settings.prompt },
    save: ({ prompt }) => patch.mutateAsync({ prompt }),
  });
  return (
    <SaveForm form={form} label="Instructions">
      <PromptArea
        label="Personal instructions"
        help="For example: answer in German; prefer small commits; my projects use Python 3.11."
        {...form.text("prompt")}
      />
    </SaveForm>
  );
}
