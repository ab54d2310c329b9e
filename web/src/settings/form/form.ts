/** What a form knows (pure): the values as they were, as they are now, and what is wrong with them. */

import { ApiError, sentence } from "@/api/errors";

export interface FormState<V extends object> {
  /** As the server has them. */
  initial: V;
  values: V;
  /** By the name of the field. */
  errors: Readonly<Record<string, string>>;
  /** What is wrong with no field in particular. */
  error: string | null;
  phase: "editing" | "saving" | "saved";
}

export function begin<V extends object>(initial: V): FormState<V> {
  return { initial, values: initial, errors: {}, error: null, phase: "editing" };
}

/** What was said of a field counts until it is changed. */
export function change<V extends object>(state: FormState<V>, changes: Partial<V>): FormState<V> {
  const errors = Object.fromEntries(Object.entries(state.errors).filter(([name]) => !(name in changes)));
  return { ...state, values: { ...state.values, ...changes }, errors, error: null, phase: "editing" };
}

export function undo<V extends object>(state: FormState<V>): FormState<V> {
  return begin(state.initial);
}

/** The server has new values: what was not touched here follows them. */
export function follow<V extends object>(state: FormState<V>, initial: V): FormState<V> {
  const values = { ...initial };
  for (const name of changedFields(state)) values[name] = state.values[name];
  return { ...state, initial, values };
}

export function saving<V extends object>(state: FormState<V>): FormState<V> {
  return { ...state, phase: "saving", errors: {}, error: null };
}

/**
 * What was sent is what the server has now; what was typed meanwhile is still to be saved.
 *
 * `before` is what the form began with when it was sent. If the server has told since what it made of it (it may
 * have cleaned a text), that counts.
 */
export function saved<V extends object>(state: FormState<V>, sent: V, before: V): FormState<V> {
  const initial = state.initial === before ? sent : state.initial;
  const values = { ...state.values };
  for (const name of Object.keys(values) as (keyof V)[]) {
    if (isSame(values[name], sent[name])) values[name] = initial[name];
  }
  return { ...state, initial, values, phase: "saved" };
}

export function refuse<V extends object>(
  state: FormState<V>,
  errors: Readonly<Record<string, string>>,
): FormState<V> {
  return { ...state, errors, phase: "editing" };
}

/** The server's sentence goes to the field that it names, if the form has it. */
export function fail<V extends object>(state: FormState<V>, error: unknown): FormState<V> {
  const field = error instanceof ApiError ? fieldIn(state.values, error.field) : null;
  const said = sentence(error);
  return field === null
    ? { ...state, phase: "editing", error: said }
    : { ...state, phase: "editing", errors: { [field]: said } };
}

/** Fields of the server may be inside of others: `settings.region`, `options.reasoning_effort.max`. */
function fieldIn(values: object, named: string | null): string | null {
  if (named === null) return null;
  const steps = named.split(/[.[\]]+/).filter(Boolean);
  return [named, ...steps.toReversed()].find((step) => step in values) ?? null;
}

export function changedFields<V extends object>(state: FormState<V>): (keyof V)[] {
  return (Object.keys(state.values) as (keyof V)[]).filter(
    (name) => !isSame(state.values[name], state.initial[name]),
  );
}

export const isDirty = <V extends object>(state: FormState<V>): boolean => changedFields(state).length > 0;

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
