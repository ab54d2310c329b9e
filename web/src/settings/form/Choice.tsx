import { useId } from "react";
import { classes } from "@/lib/classes";

export interface Option<T extends string> {
  value: T;
  label: string;
  note?: string;
}

interface ChoiceProps<T extends string> {
  label: string;
  help?: string;
  options: readonly Option<T>[];
  value: T;
  onChange: (value: T) => void;
}

/** One of two to four, all of them in sight. */
export function Choice<T extends string>({ label, help, options, value, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">{label}</legend>
      {help && <p className="text-xs text-muted">{help}</p>}
      <div className={classes("mt-2 grid gap-2", options.length === 4 ? "sm:grid-cols-2" : "sm:grid-cols-3")}>
        {options.map((option) => (
          <label
            key={option.value}
            className={classes(
              "flex cursor-pointer items-start gap-2 rounded-md border px-3 py-2 text-sm transition-colors",
              "has-focus-visible:outline-2 has-focus-visible:outline-accent",
              option.value === value ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0">
              {option.label}
              {option.note && <span className="block text-xs text-muted">{option.note}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
