import type { KeyboardEvent, ReactNode } from "react";
import { Button } from "@/ui/Button";
import type { Form } from "./useForm";

interface SaveFormProps<V extends object> {
  form: Form<V>;
  label: string;
  children: ReactNode;
  /** What the button says. */
  save?: string;
  /** A form that is always open goes back to what is saved; one that was opened is closed. */
  onCancel?: () => void;
  /** There is nothing to change here: no buttons. */
  readOnly?: boolean;
  /** Beside the buttons. */
  more?: ReactNode;
}

/** Fields with what saves them. Enter in a line saves, Esc takes back. */
export function SaveForm<V extends object>({
  form,
  label,
  children,
  save = "Save",
  onCancel,
  readOnly = false,
  more,
}: SaveFormProps<V>) {
  const cancel = onCancel ?? form.undo;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || (onCancel === undefined && !form.isDirty)) return;
    // A dialog around it would close as well, and take other things along.
    event.stopPropagation();
    cancel();
  };
  return (
    <form
      aria-label={label}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void form.submit();
      }}
      className="flex flex-col gap-4"
    >
      <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4">
        {children}
      </fieldset>
      {form.error && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          {form.error}
        </p>
      )}
      {!readOnly && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look={onCancel !== undefined || form.isDirty ? "primary" : "secondary"}
            busy={form.phase === "saving"}
            disabled={onCancel === undefined && !form.isDirty}
          >
            {save}
          </Button>
          {(onCancel !== undefined || form.isDirty) && (
            <Button look="quiet" onClick={cancel}>
              {onCancel ? "Cancel" : "Undo"}
            </Button>
          )}
          {more}
          <p role="status" className="text-sm text-good">
            {form.phase === "saved" && !form.isDirty ? "Saved" : ""}
          </p>
        </div>
      )}
    </form>
  );
}
