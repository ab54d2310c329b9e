import { Check, ChevronDown } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { Effort, Model } from "@/api/types";
import { classes } from "@/lib/classes";
import { Field } from "@/ui/Field";
import { Popover } from "@/ui/overlay/Popover";
import type { Choice } from "./choice";

/** With fewer models, nobody needs to search. */
const SEARCHED_FROM = 8;

const EFFORT_NAMES: Record<Effort, string> = {
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Very high",
  max: "Highest",
};

interface ModelPickerProps {
  choice: Choice;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function ModelPicker({ choice, open, onOpenChange }: ModelPickerProps) {
  const { model, effort } = choice;
  const label = model ? model.display_name || model.model : choice.isLoading ? "…" : "No model";
  return (
    <Popover
      label="Model"
      open={open}
      onOpenChange={onOpenChange}
      side="top"
      className="w-72 p-1.5"
      trigger={
        <button
          type="button"
          aria-label={`Model: ${label}`}
          className="flex h-8 min-w-0 items-center gap-1 rounded-md px-2 text-[0.8125rem] text-muted hover:bg-hover hover:text-text"
        >
          <span className="truncate">{label}</span>
          {effort && <span className="shrink-0">· {EFFORT_NAMES[effort]}</span>}
          <ChevronDown aria-hidden size={13} className="shrink-0" />
        </button>
      }
    >
      <Models choice={choice} onChosen={() => onOpenChange(false)} />
      {choice.efforts.length > 0 && <Efforts choice={choice} />}
    </Popover>
  );
}

function Models({ choice, onChosen }: { choice: Choice; onChosen: () => void }) {
  const [text, setText] = useState("");
  const shown = choice.models.filter((each) => each.name.toLowerCase().includes(text.toLowerCase()));
  const providers = [...new Set(shown.map((each) => each.provider))];
  if (choice.models.length === 0) {
    return (
      <p className="p-2 text-sm">
        No model can be used yet.{" "}
        <Link href="/settings/models" className="text-accent underline">
          Set one up
        </Link>
        .
      </p>
    );
  }
  return (
    <div className="max-h-72 overflow-y-auto">
      {choice.models.length >= SEARCHED_FROM && (
        <div className="p-1">
          <Field
            label="Search models"
            bare
            placeholder="Search models"
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        </div>
      )}
      {providers.map((provider) => (
        <fieldset key={provider}>
          <legend className="px-2 pt-1.5 pb-0.5 text-xs font-medium text-muted">{provider}</legend>
          {shown
            .filter((each) => each.provider === provider)
            .map((each) => (
              <ModelOption
                key={each.id}
                model={each}
                isChosen={each.name === choice.model?.name}
                onChoose={() => {
                  choice.chooseModel(each.name);
                  onChosen();
                }}
              />
            ))}
        </fieldset>
      ))}
    </div>
  );
}

function ModelOption({
  model,
  isChosen,
  onChoose,
}: {
  model: Model;
  isChosen: boolean;
  onChoose: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover"
    >
      <span className="min-w-0 flex-1 truncate">{model.display_name || model.model}</span>
      {model.is_default && <span className="text-xs text-muted">default</span>}
      {isChosen && <Check aria-hidden size={15} className="text-accent" />}
    </button>
  );
}

function Efforts({ choice }: { choice: Choice }) {
  return (
    <fieldset className="mt-1 border-t border-line pt-1">
      <legend className="px-2 pt-1.5 text-xs font-medium text-muted">How hard it thinks</legend>
      <div className="flex flex-wrap gap-1 p-1.5">
        {[null, ...choice.efforts].map((each) => (
          <button
            key={each ?? "usual"}
            type="button"
            aria-pressed={choice.effort === each}
            onClick={() => choice.chooseEffort(each)}
            className={classes(
              "rounded-md border px-2 py-0.5 text-[0.8125rem]",
              choice.effort === each
                ? "border-accent bg-accent-soft text-accent"
                : "border-line hover:bg-hover",
            )}
          >
            {each === null ? "Usual" : EFFORT_NAMES[each]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
