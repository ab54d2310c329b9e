import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "@/lib/classes";

const BOX =
  "w-full rounded-md border border-line bg-page px-3 text-sm aria-invalid:border-bad disabled:cursor-not-allowed disabled:opacity-60";

interface Around {
  label: string;
  /** What to write there, under the field. */
  help?: ReactNode;
  /** What is wrong with it, in its place. */
  error?: ReactNode;
  /** The label is said but not shown. */
  bare?: boolean;
}

type FieldProps = Around & Omit<ComponentProps<"input">, "id">;

/** A line of text with its label. */
export function Field({ label, help, error, bare, className, ...rest }: FieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error} bare={bare}>
      <input id={id} {...described(id, help, error)} {...rest} className={classes(BOX, "h-9", className)} />
    </Labelled>
  );
}

type TextAreaProps = Around & Omit<ComponentProps<"textarea">, "id">;

/** Several lines of text with their label. */
export function TextArea({ label, help, error, bare, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error} bare={bare}>
      <textarea
        id={id}
        {...described(id, help, error)}
        {...rest}
        className={classes(BOX, "py-2", className)}
      />
    </Labelled>
  );
}

type SelectProps = Around & Omit<ComponentProps<"select">, "id">;

/** One of a few choices, as the system shows it: that works everywhere, also on phones. */
export function Select({ label, help, error, bare, className, ...rest }: SelectProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error} bare={bare}>
      <select id={id} {...described(id, help, error)} {...rest} className={classes(BOX, "h-9", className)} />
    </Labelled>
  );
}

function described(id: string, help: ReactNode, error: ReactNode) {
  const said = error ? `${id}-error` : help ? `${id}-help` : undefined;
  return { "aria-describedby": said, "aria-invalid": error ? true : undefined };
}

function Labelled({ id, label, help, error, bare, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={bare ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs text-bad">
          {error}
        </p>
      ) : (
        help && (
          <p id={`${id}-help`} className="text-xs text-muted">
            {help}
          </p>
        )
      )}
    </div>
  );
}
