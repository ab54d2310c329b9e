import { Ellipsis, FlaskConical, Pencil, Power, Star, Trash2 } from "lucide-react";
import { useState } from "react";
import { type ModelView, useDeleteModel, usePatchModel, useTestModel } from "@/api/catalog/providers";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";
import { priceOf } from "../form/numbers";
import { Mark, Row } from "../Rows";
import { EditModel } from "./EditModel";
import { Probe } from "./providers/Probe";
import { stateOf } from "./states";

/** A model: how it stands, trying it out, and what can be changed. */
export function ModelRow({ model }: { model: ModelView }) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const patch = usePatchModel();
  const test = useTestModel();
  const shown = model.display_name || model.name;
  const state = stateOf(model);
  const change = (body: { enabled?: boolean; is_default?: boolean }) =>
    patch.mutate(
      { id: model.id, ...body },
      { onError: (error) => toast({ text: sentence(error), bad: true }) },
    );
  const items: MenuItem[] = [
    {
      label: "Make it the default",
      icon: Star,
      disabled: model.is_default || !model.enabled,
      note: model.is_default ? "It is the default already." : undefined,
      onSelect: () => change({ is_default: true }),
    },
  ];
  if (!model.declared)
    items.push(
      { label: "Change", icon: Pencil, onSelect: () => setOpen("edit") },
      {
        label: model.enabled ? "Switch off" : "Switch on",
        icon: Power,
        onSelect: () => change({ enabled: !model.enabled }),
      },
      "line",
      { label: "Delete", icon: Trash2, danger: true, onSelect: () => setOpen("delete") },
    );
  return (
    <Row
      title={shown}
      marks={
        <>
          {model.is_default && <Mark look="accent">Default</Mark>}
          {state === null ? <Mark look="good">Ready</Mark> : <Mark look={state.look}>{state.word}</Mark>}
        </>
      }
      note={state ? state.help : noteOf(model, shown)}
      actions={
        <>
          <Button
            size="small"
            busy={test.isPending}
            onClick={() => test.mutate(model.id)}
            aria-label={`Test ${shown}`}
          >
            {!test.isPending && <FlaskConical aria-hidden size={14} />} Test
          </Button>
          <Menu items={items}>
            <IconButton icon={Ellipsis} label={`Actions of ${shown}`} hint={false} />
          </Menu>
        </>
      }
    >
      <Probe result={test.data ?? null} error={test.error} />
      {open === "edit" && <EditModel model={model} onDone={() => setOpen(null)} />}
      {open === "delete" && <DeleteModel model={model} onClose={() => setOpen(null)} />}
    </Row>
  );
}

function noteOf(model: ModelView, shown: string): string {
  const price = model.prices && `${priceOf(model.prices.input)} in, ${priceOf(model.prices.output)} out`;
  return [
    shown === model.name ? null : model.name,
    `${model.context_limit.toLocaleString()} tokens`,
    price && `${price} per million`,
    model.reasoning_efforts.length > 0 && "effort can be chosen",
    model.web_search && "searches the web",
  ]
    .filter(Boolean)
    .join(" · ");
}

function DeleteModel({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const remove = useDeleteModel();
  return (
    <Confirm
      title={`Delete ${model.display_name || model.name}?`}
      action="Delete model"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(model.id, { onSuccess: onClose })}
    >
      <p>
        Chats that use it go on with the default model.
        {model.is_default && " It is the default itself: another model takes its place."}
      </p>
    </Confirm>
  );
}
