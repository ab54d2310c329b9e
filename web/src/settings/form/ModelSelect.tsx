import { useModelList } from "@/api/catalog/providers";
import type { Effort } from "@/api/types";
import { Select } from "@/ui/Field";

interface ModelSelectProps {
  label: string;
  help?: string;
  /** The name of a model, `provider/model`; empty: none. */
  value: string;
  error?: string;
  /** What it means to choose none. */
  none: string;
  onChange: (name: string) => void;
  disabled?: boolean;
}

/** One of the models that can be used now. One that was chosen and is gone stays, and is marked. */
export function ModelSelect({ label, help, value, error, none, onChange, disabled }: ModelSelectProps) {
  const models = useModelList();
  const listed = models.data?.models.filter((model) => model.enabled) ?? [];
  const isGone = value !== "" && models.data !== undefined && !listed.some((model) => model.name === value);
  return (
    <Select
      label={label}
      help={isGone ? undefined : help}
      error={error ?? (isGone ? "This model is not available any more. Choose another one." : undefined)}
      value={value}
      disabled={disabled || models.isPending}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{none}</option>
      {isGone && <option value={value}>{value} (gone)</option>}
      {listed.map((model) => (
        <option key={model.id} value={model.name} disabled={!model.available}>
          {model.display_name || model.name}
          {model.available ? "" : " (not usable now)"}
        </option>
      ))}
    </Select>
  );
}

interface EffortSelectProps {
  label: string;
  /** Of this model; empty: it cannot be chosen. */
  model: string;
  value: Effort | "";
  error?: string;
  onChange: (effort: Effort | "") => void;
}

/** How hard a model thinks. Nothing to choose where its model has no choice. */
export function EffortSelect({ label, model, value, error, onChange }: EffortSelectProps) {
  const models = useModelList();
  const efforts = models.data?.models.find((each) => each.name === model)?.reasoning_efforts ?? [];
  const shown = value !== "" && !efforts.includes(value) ? [value, ...efforts] : efforts;
  return (
    <Select
      label={label}
      value={value}
      error={error}
      disabled={shown.length === 0}
      onChange={(event) => onChange(event.target.value as Effort | "")}
    >
      <option value="">
        {shown.length > 0
          ? "As the model does by itself"
          : model === ""
            ? "Choose a model first"
            : "This model has no choice"}
      </option>
      {shown.map((effort) => (
        <option key={effort} value={effort}>
          {EFFORT_NAMES[effort]}
        </option>
      ))}
    </Select>
  );
}

export const EFFORT_NAMES: Readonly<Record<Effort, string>> = {
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Very high",
  max: "Most",
};
