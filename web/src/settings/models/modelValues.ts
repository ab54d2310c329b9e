/** A model as its form has it, and as the server wants it (pure). */

import type { ModelView } from "@/api/catalog/providers";
import type { Effort } from "@/api/types";
import type { components } from "@/api/types.gen";
import { tokensOf, wholeNumber } from "../form/numbers";

export interface ModelValues {
  display_name: string;
  /** In tokens, as people write them; empty: what is publicly known. */
  context_limit: string;
  compression_threshold: string;
  effort_max: Effort | "";
  effort_default: Effort | "";
}

export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export const NEW_MODEL: ModelValues = {
  display_name: "",
  context_limit: "",
  compression_threshold: "70",
  effort_max: "",
  effort_default: "",
};

export function valuesOf(model: ModelView): ModelValues {
  const range = model.options?.reasoning_effort;
  return {
    display_name: model.display_name,
    context_limit: model.context_limit.toLocaleString(),
    compression_threshold: String(model.compression_threshold),
    effort_max: range?.max ?? "",
    effort_default: range?.default ?? "",
  };
}

export function modelProblems(values: ModelValues): Record<string, string> {
  const problems = wholeNumber("compression_threshold", values.compression_threshold, 100);
  const tokens = tokensOf(values.context_limit);
  if (values.context_limit.trim() !== "" && (tokens === null || tokens <= 0))
    problems.context_limit = "Enter a number of tokens, such as 200,000.";
  if (values.effort_default !== "" && values.effort_max === "")
    problems.effort_default = "Choose the highest effort as well.";
  else if (
    values.effort_default !== "" &&
    EFFORTS.indexOf(values.effort_default) > EFFORTS.indexOf(values.effort_max as Effort)
  )
    problems.effort_default = "It is higher than the highest effort.";
  return problems;
}

/** Other options of the model stay as they are. */
export function modelBody(
  values: ModelValues,
  options: components["schemas"]["CallOptions"] = {},
): Omit<components["schemas"]["PatchModel"], "context_limit"> & { context_limit?: number } {
  const tokens = tokensOf(values.context_limit);
  return {
    display_name: values.display_name.trim(),
    ...(tokens !== null && { context_limit: tokens }),
    compression_threshold: Number(values.compression_threshold),
    options: {
      ...options,
      reasoning_effort:
        values.effort_max === "" ? null : { max: values.effort_max, default: values.effort_default || null },
    },
  };
}
