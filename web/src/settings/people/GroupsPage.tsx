import { Plus } from "lucide-react";
import { useState } from "react";
import { type Group, useAddGroup, useDeleteGroup, useGroups, useRenameGroup } from "@/api/accounts/people";
import { usePermits } from "@/api/accounts/permits";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Confirm } from "../form/Confirm";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Mark, Row, Rows } from "../Rows";
import { Members } from "./Members";

/** Named sets of users, to share with. */
export default function GroupsPage() {
  const [isAdding, setAdding] = useState(false);
  const mayChange = usePermits().data?.has("group.change") ?? false;
  return (
    <Page
      title="Groups"
      about="A chat that is shared with a group is shared with all who are in it, now and later."
      actions={
        mayChange && (
          <Button size="small" disabled={isAdding} onClick={() => setAdding(true)}>
            <Plus aria-hidden size={15} /> New group
          </Button>
        )
      }
    >
      {isAdding && <AddGroup onDone={() => setAdding(false)} />}
      <Loaded query={useGroups()} what="Groups">
        {(groups) =>
          groups.length === 0 ? (
            <Empty>There are no groups. Make one for a team that shares chats.</Empty>
          ) : (
            <Rows label="Groups">
              {groups.map((group) => (
                <GroupRow key={group.id} group={group} mayChange={mayChange} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  );
}

function RenameGroup({ group, onDone }: { group: Group; onDone: () => void }) {
  const rename = useRenameGroup();
  const form = useForm({
    initial: { name: group.name },
    check: ({ name }): Record<string, string> => (name.trim() === "" ? { name: "Give it a name." } : {}),
    save: ({ name }) => rename.mutateAsync({ id: group.id, name: name.trim() }),
    onSaved: onDone,
  });
  return (
    <SaveForm form={form} label={`Rename ${group.name}`} save="Rename" onCancel={onDone}>
      <Field label="New name" {...form.text("name")} />
    </SaveForm>
  );
}

function AddGroup({ onDone }: { onDone: () => void }) {
  const add = useAddGroup();
  const form = useForm({
    initial: { name: "" },
    check: ({ name }): Record<string, string> => (name.trim() === "" ? { name: "Give it a name." } : {}),
    save: ({ name }) => add.mutateAsync(name.trim()),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="New group" save="Make group" onCancel={onDone}>
        <Field label="Name" placeholder="Support" {...form.text("name")} />
      </SaveForm>
    </div>
  );
}

function GroupRow({ group, mayChange }: { group: Group; mayChange: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  const remove = useDeleteGroup();
  return (
    <Row
      title={group.name}
      marks={group.source === "oidc" && <Mark>From the identity provider</Mark>}
      note={group.members === 1 ? "1 member" : `${group.members} members`}
      actions={
        <>
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Members<span className="sr-only"> of {group.name}</span>
          </Button>
          {mayChange && group.source === "local" && (
            <Button
              size="small"
              aria-label={`Rename ${group.name}`}
              aria-expanded={isRenaming}
              onClick={() => setRenaming(!isRenaming)}
            >
              Rename
            </Button>
          )}
          {mayChange && (
            <Button
              size="small"
              look="danger"
              aria-label={`Delete ${group.name}`}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Button>
          )}
        </>
      }
    >
      {isRenaming && <RenameGroup group={group} onDone={() => setRenaming(false)} />}
      {isOpen && <Members group={group} mayChange={mayChange && group.source === "local"} />}
      {isDeleting && (
        <Confirm
          title={`Delete ${group.name}?`}
          action="Delete group"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove.mutate(group.id, { onSuccess: () => setDeleting(false) })}
        >
          <p>What was shared with it is shared no more. Its members stay.</p>
        </Confirm>
      )}
    </Row>
  );
}
