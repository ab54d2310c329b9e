import { RotateCcw } from "lucide-react";
import { type ModelView, useModelList } from "@/api/catalog/providers";
import { type OwnSettings, usePatchOwnSettings } from "@/api/catalog/settings";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { SaveForm } from "../form/SaveForm";
import { type Form, useForm } from "../form/useForm";
import { Empty, Loaded } from "../Loaded";
import { Mark, Notice, Row, Rows } from "../Rows";
import { changesOf, problemOf, turnsOff } from "./thresholds";

export function ThresholdsForm({ settings }: { settings: OwnSettings }) {
  return (
    <Loaded query={useModelList()} what="Models">
      {({ models }) => <Thresholds settings={settings} models={models} />}
    </Loaded>
  );
}

type Typed = Record<string, string>;

function Thresholds({ settings, models }: { settings: OwnSettings; models: readonly ModelView[] }) {
  const patch = usePatchOwnSettings();
  const kept = settings.compaction_thresholds;
  // A threshold may outlive its model, and can then only be taken back.
  const names = [...new Set([...models.map((model) => model.name), ...Object.keys(kept)])];
  const form = useForm<Typed>({
    initial: Object.fromEntries(names.map((name) => [name, kept[name]?.toString() ?? ""])),
    check: (typed) =>
      Object.fromEntries(
        Object.entries(typed).flatMap(([name, text]) => {
          const problem = problemOf(text);
          return problem === null ? [] : [[name, problem]];
        }),
      ),
    save: (typed) => patch.mutateAsync({ compaction_thresholds: changesOf(kept, typed) }),
  });
  if (names.length === 0) return <Empty>There are no models yet, so there is nothing to choose.</Empty>;
  return (
    <SaveForm form={form} label="Thresholds of compaction">
      <Rows label="Thresholds">
        {names.map((name) => (
          <Threshold key={name} name={name} model={models.find((each) => each.name === name)} form={form} />
        ))}
      </Rows>
      {names.some((name) => turnsOff(form.values[name] ?? "")) && (
        <div role="status">
          <Notice look="warn">
            At 100 nothing is summed up by itself. A chat that is full then fails until you compact it with{" "}
            <code>/compact</code>.
          </Notice>
        </div>
      )}
    </SaveForm>
  );
}

function Threshold({ name, model, form }: { name: string; model: ModelView | undefined; form: Form<Typed> }) {
  const typed = form.values[name] ?? "";
  return (
    <Row
      title={model?.display_name || name}
      marks={
        model === undefined ? <Mark look="warn">Gone</Mark> : typed !== "" && <Mark look="accent">Yours</Mark>
      }
      note={model ? `${model.compression_threshold} % for all users` : "This model is not there any more."}
      actions={
        <>
          <div className="w-24">
            <Field
              bare
              label={`Threshold of ${name} in percent`}
              inputMode="numeric"
              placeholder={model ? `${model.compression_threshold} %` : "none"}
              value={typed}
              aria-invalid={form.errorOf(name) ? true : undefined}
              onChange={(event) => form.set({ [name]: event.target.value })}
            />
          </div>
          <IconButton
            icon={RotateCcw}
            size="small"
            label={`Reset ${name}`}
            disabled={typed === ""}
            onClick={() => form.set({ [name]: "" })}
          />
        </>
      }
    >
      {form.errorOf(name) && (
        <p role="alert" className="text-right text-xs text-bad">
          {form.errorOf(name)}
        </p>
      )}
    </Row>
  );
}
