import { FileUp } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { type Skill, useSaveSkill } from "@/api/catalog/skills";
import { Button } from "@/ui/Button";
import { Field, TextArea } from "@/ui/Field";
import { PromptArea } from "../form/PromptArea";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { NEW_SKILL, readSkill, type SkillValues, skillProblems, writeSkill } from "./skillText";

interface EditSkillProps {
  /** With its content; none: it is a new one. */
  skill?: Skill;
  onDone: () => void;
}

export function EditSkill({ skill, onDone }: EditSkillProps) {
  const save = useSaveSkill();
  const form = useForm<SkillValues>({
    initial: skill ? valuesOf(skill) : NEW_SKILL,
    check: skillProblems,
    save: (values) => save.mutateAsync({ name: skill?.name ?? null, content: writeSkill(values) }),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm
        form={form}
        label={skill ? `Edit ${skill.name}` : "New skill"}
        save={skill ? "Save skill" : "Add skill"}
        onCancel={onDone}
        more={<Import onRead={form.set} keepName={skill?.name} />}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Name"
            help={skill ? "A skill keeps its name." : "Small letters, digits and hyphens."}
            readOnly={skill !== undefined}
            placeholder="review-code"
            {...form.text("name")}
          />
          <TextArea
            label="Description"
            help="When should agents use it? They choose by this."
            rows={2}
            {...form.text("description")}
          />
        </div>
        <PromptArea label="Instructions" rows={12} {...form.text("body")} />
      </SaveForm>
    </div>
  );
}

/** What cannot be read into fields is shown as it is, to be mended. */
function valuesOf(skill: Skill): SkillValues {
  const read = readSkill(skill.content ?? "");
  return typeof read === "string"
    ? { name: skill.name, description: skill.description, more: "", body: skill.content ?? "" }
    : read;
}

interface ImportProps {
  onRead: (values: SkillValues) => void;
  /** Of a skill that is there already. */
  keepName?: string;
}

/** A file fills the fields. One that is no skill leaves them as they are. */
function Import({ onRead, keepName }: ImportProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    // So that the same file can be chosen again after it was mended.
    event.target.value = "";
    if (!file) return;
    const read = readSkill(await file.text());
    if (typeof read === "string") {
      setProblem(`${file.name} was not imported. ${read}`);
      return;
    }
    setProblem(null);
    onRead(keepName === undefined ? read : { ...read, name: keepName });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".md,text/markdown"
        aria-label="A SKILL.md to import"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => void choose(event)}
      />
      <Button onClick={() => input.current?.click()}>
        <FileUp aria-hidden size={16} /> Import SKILL.md
      </Button>
      {problem && (
        <p role="alert" className="basis-full text-sm text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
