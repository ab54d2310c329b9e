/** Reads JSON whose shape is not known: what a model wrote, and what a tool of anyone came back with. */

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** Its fields, or none: it is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((each): each is string => typeof each === "string");
}

/** As people read it: text as it is, anything else as JSON on several lines. */
export function readable(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return String(value);
  }
}
