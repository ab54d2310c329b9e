/** Which model and effort the next message asks for. */

import { useState } from "react";
import { useModels } from "@/api/catalog/catalog";
import { useOwnSettings } from "@/api/catalog/settings";
import type { Effort, Model } from "@/api/types";
import { keep, readKept } from "@/lib/kept/kept";

/** Weakest first. */
const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export interface Choice {
  models: readonly Model[];
  isLoading: boolean;
  /** Why the models are not known; null: they are, or are on their way. */
  failure: unknown;
  retry: () => void;
  model: Model | null;
  effort: Effort | null;
  efforts: readonly Effort[];
  chooseModel: (name: string) => void;
  chooseEffort: (effort: Effort | null) => void;
}

/** An explicit choice, else the chat's last model, else the user's own, else what was used last, else the default. */
export function useChoice(lastModel: string | null): Choice {
  const { data, isPending, error, refetch } = useModels();
  const own = useOwnSettings();
  const [chosen, setChosen] = useState<string | null>(null);
  const [, setTouched] = useState(0);
  const usable = (data ?? []).filter((each) => each.enabled && each.available);
  const named = (name: string | null) => usable.find((each) => each.name === name);
  const model =
    named(chosen) ??
    named(lastModel) ??
    named(own.data?.model ?? null) ??
    named(readKept<string | null>("model", null)) ??
    usable.find((each) => each.is_default) ??
    usable[0] ??
    null;
  const efforts = EFFORTS.filter((each) => model?.reasoning_efforts.includes(each));
  const kept = model && readKept<Effort | null>(`effort.${model.name}`, null);
  return {
    models: usable,
    // Nobody should begin to choose and then see another model.
    isLoading: isPending || (own.isPending && lastModel === null),
    failure: data === undefined ? error : null,
    retry: () => void refetch(),
    model,
    efforts,
    effort: efforts.find((each) => each === kept) ?? null,
    chooseModel: (name) => {
      keep("model", name);
      setChosen(name);
    },
    chooseEffort: (effort) => {
      if (model) keep(`effort.${model.name}`, effort);
      setTouched((count) => count + 1);
    },
  };
}
