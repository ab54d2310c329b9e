import { Download, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Skill, useDeleteSkill, useSkill, useSkillList } from "@/api/catalog/skills";
import { answer, api } from "@/api/client";
import { sentence } from "@/api/errors";
import { saveFile } from "@/lib/browser/saveFile";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Row, Rows } from "../Rows";
import { EditSkill } from "./EditSkill";

/** Which one is being changed; `null` is a new one. */
type Editing = { name: string | null } | null;

export function SkillsPage() {
  const [editing, setEditing] = useState<Editing>(null);
  const close = () => setEditing(null);
  return (
    <Page
      title="Skills"
      about="Instructions for one kind of task. Agents see the names and descriptions in all of your chats, and read a skill when they need it."
      actions={
        <Button onClick={() => setEditing({ name: null })} disabled={editing !== null}>
          <Plus aria-hidden size={16} /> New skill
        </Button>
      }
    >
      {editing &&
        (editing.name === null ? (
          <EditSkill onDone={close} />
        ) : (
          <Opened name={editing.name} onDone={close} />
        ))}
      <Loaded query={useSkillList()} what="Skills">
        {({ skills }) => <SkillRows skills={skills} onEdit={(name) => setEditing({ name })} />}
      </Loaded>
    </Page>
  );
}

function SkillRows({ skills, onEdit }: { skills: readonly Skill[]; onEdit: (name: string) => void }) {
  const [deleting, setDeleting] = useState<string | null>(null);
  if (skills.length === 0)
    return (
      <Empty>
        You have no skills yet. Write one, or import a SKILL.md. Skills in the folder .agents/skills of a
        workspace are found by themselves.
      </Empty>
    );
  return (
    <>
      <Rows label="Skills">
        {skills.map((skill) => (
          <Row
            key={skill.name}
            title={skill.name}
            note={skill.description}
            actions={
              <>
                <IconButton
                  icon={Pencil}
                  size="small"
                  label={`Edit ${skill.name}`}
                  onClick={() => onEdit(skill.name)}
                />
                <IconButton
                  icon={Download}
                  size="small"
                  label={`Download ${skill.name}`}
                  onClick={() => void download(skill.name)}
                />
                <IconButton
                  icon={Trash2}
                  size="small"
                  label={`Delete ${skill.name}`}
                  onClick={() => setDeleting(skill.name)}
                />
              </>
            }
          />
        ))}
      </Rows>
      {deleting && <DeleteSkill name={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

async function download(name: string): Promise<void> {
  try {
    const skill = await answer(api.GET("/api/v1/users/me/skills/{name}", { params: { path: { name } } }));
    saveFile(`${name}.SKILL.md`, skill.content ?? "", "text/markdown");
  } catch (error) {
    toast({ text: sentence(error), bad: true });
  }
}

function Opened({ name, onDone }: { name: string; onDone: () => void }) {
  return (
    <Loaded query={useSkill(name)} what={`The skill ${name}`}>
      {(skill) => <EditSkill key={name} skill={skill} onDone={onDone} />}
    </Loaded>
  );
}

function DeleteSkill({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useDeleteSkill();
  return (
    <Confirm
      title={`Delete the skill ${name}?`}
      action="Delete skill"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(name, { onSuccess: onClose })}
    >
      <p>Agents will not find it any more. This cannot be undone; download it first if you may need it.</p>
    </Confirm>
  );
}
