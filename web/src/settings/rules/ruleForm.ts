/** A rule as it is typed (pure). */

import type { NewRule, Rule, Verdict } from "@/api/catalog/rules";
import { wordsIn } from "@/lib/text/shellWords";

export interface RuleValues {
  verdict: Verdict;
  tool: string;
  words: string;
  paths: string;
  hosts: string;
  workspace: string;
}

export const NEW_RULE: RuleValues = {
  verdict: "ask",
  tool: "",
  words: "",
  paths: "",
  hosts: "",
  workspace: "",
};

/** One on each line, or separated by commas. */
export function patternsIn(typed: string): string[] {
  return typed
    .split(/[\n,]/)
    .map((each) => each.trim())
    .filter(Boolean);
}

export function ruleBody(values: RuleValues): NewRule {
  return {
    verdict: values.verdict,
    tool: values.tool.trim() || "*",
    words: wordsIn(values.words),
    paths: patternsIn(values.paths),
    hosts: patternsIn(values.hosts),
    workspace: values.workspace.trim(),
  };
}

/** Where an own rule is among the own ones: the place that the server counts. */
export function placeOf(rules: readonly Rule[], id: string): { place: number; last: number } {
  const own = rules.filter((rule) => rule.source === "user");
  return { place: own.findIndex((rule) => rule.id === id), last: own.length - 1 };
}
