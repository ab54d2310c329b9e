import { useState } from "react";
import * as form from "./form";

export interface Form<V extends object> {
  values: V;
  error: string | null;
  phase: form.FormState<V>["phase"];
  isDirty: boolean;
  set: (changes: Partial<V>) => void;
  undo: () => void;
  submit: () => Promise<void>;
  errorOf: (name: keyof V) => string | undefined;
  /** Value, change and error of a text field, to be spread into it. */
  text: (name: TextNames<V>) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: { target: { value: string } }) => void;
  };
  check: (name: FlagNames<V>) => { checked: boolean; onChange: (checked: boolean) => void };
}

type TextNames<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;
type FlagNames<V> = { [K in keyof V]: V[K] extends boolean ? K : never }[keyof V] & string;

interface FormRules<V extends object> {
  initial: V;
  /** What is wrong with which field, before the server is asked. */
  check?: (values: V) => Readonly<Record<string, string>>;
  save: (values: V, changed: readonly (keyof V)[]) => Promise<unknown>;
  /** After it was saved. With it the form is done, and does not say so itself. */
  onSaved?: (values: V) => void;
}

/** One form: what is typed, whether it differs from what is saved, saving it, and what was said against it. */
export function useForm<V extends object>({ initial, check, save, onSaved }: FormRules<V>): Form<V> {
  const [state, setState] = useState(() => form.begin(initial));
  const [known, setKnown] = useState(() => JSON.stringify(initial));
  const told = JSON.stringify(initial);
  if (known !== told) {
    setKnown(told);
    setState(form.follow(state, initial));
  }

  const submit = async (): Promise<void> => {
    if (state.phase === "saving") return;
    const wrong = check?.(state.values) ?? {};
    if (Object.keys(wrong).length > 0) {
      setState(form.refuse(state, wrong));
      return;
    }
    const { values: sent, initial: before } = state;
    setState(form.saving(state));
    try {
      await save(sent, form.changedFields(state));
    } catch (error) {
      setState((now) => form.fail(now, error));
      return;
    }
    setState((now) => form.saved(now, sent, before));
    onSaved?.(sent);
  };

  const set = (changes: Partial<V>) => setState((now) => form.change(now, changes));
  return {
    values: state.values,
    error: state.error,
    phase: state.phase,
    isDirty: form.isDirty(state),
    set,
    undo: () => setState(form.undo),
    submit,
    errorOf: (name) => state.errors[name as string],
    text: (name) => ({
      name,
      value: state.values[name] as string,
      error: state.errors[name],
      onChange: (event) => set({ [name]: event.target.value } as unknown as Partial<V>),
    }),
    check: (name) => ({
      checked: state.values[name] as boolean,
      onChange: (checked) => set({ [name]: checked } as unknown as Partial<V>),
    }),
  };
}
