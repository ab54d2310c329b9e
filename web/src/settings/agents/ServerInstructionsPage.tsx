import { type ServerSettings, usePatchServerSettings, useServerSettings } from "@/api/catalog/settings";
import { Button } from "@/ui/Button";
import { Choice } from "../form/Choice";
import { PromptArea } from "../form/PromptArea";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Loaded } from "../Loaded";
import { Page, Section } from "../Page";

type Base = "built-in" | "own" | "none";

interface Values {
  base: Base;
  base_prompt: string;
  system_prompt: string;
}

export function ServerInstructionsPage() {
  return (
    <Page title="Instructions for all" about="What the agents of all users are told before anything else.">
      <Loaded query={useServerSettings()} what="The instructions">
        {(settings) => settings && <InstructionsForm settings={settings} />}
      </Loaded>
    </Page>
  );
}

function InstructionsForm({ settings }: { settings: ServerSettings }) {
  const patch = usePatchServerSettings();
  const form = useForm<Values>({
    initial: {
      base: baseOf(settings.base_prompt),
      base_prompt: settings.base_prompt || settings.default_base_prompt,
      system_prompt: settings.system_prompt,
    },
    save: (values) =>
      patch.mutateAsync({ system_prompt: values.system_prompt, base_prompt: sentBase(values) }),
  });
  const preview = previewOf(form.values, settings.default_base_prompt);
  return (
    <SaveForm form={form} label="Instructions for all">
      <Choice<Base>
        label="How to work"
        value={form.values.base}
        options={[
          { value: "built-in", label: "Built in", note: "chatd's own words" },
          { value: "own", label: "Your own", note: "Instead of those" },
          { value: "none", label: "None", note: "Only what is below" },
        ]}
        onChange={(base) => form.set({ base })}
      />
      {form.values.base === "own" && (
        <div className="flex flex-col items-start gap-2">
          <div className="w-full">
            <PromptArea label="Your own words on how to work" rows={12} {...form.text("base_prompt")} />
          </div>
          <Button
            size="small"
            look="quiet"
            onClick={() => form.set({ base_prompt: settings.default_base_prompt })}
          >
            Begin with the built-in words
          </Button>
        </div>
      )}
      <PromptArea
        label="More for all chats"
        help="For example: the name of your company, where its documents are, what agents must never do."
        rows={6}
        {...form.text("system_prompt")}
      />
      <Section
        title="Preview"
        about="Instructions of the chat, of its user and of its workspace come after it."
      >
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-lg bg-sunken p-4 font-mono text-xs whitespace-pre-wrap"
        >
          {preview || "Nothing is said to all chats."}
        </pre>
      </Section>
    </SaveForm>
  );
}

const baseOf = (prompt: string | null): Base =>
  prompt === null ? "built-in" : prompt === "" ? "none" : "own";

function sentBase({ base, base_prompt }: Values): string | null {
  return base === "built-in" ? null : base === "none" ? "" : base_prompt;
}

function previewOf(values: Values, builtIn: string): string {
  return [sentBase(values) ?? builtIn, values.system_prompt]
    .map((text) => text.trim())
    .filter(Boolean)
    .join("\n\n");
}
