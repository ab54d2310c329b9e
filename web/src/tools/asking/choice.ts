import type { WaitingFor } from "@/api/types";

export type Question = NonNullable<WaitingFor["questions"]>[number];

/** What was chosen: the place of an option, or words. */
export interface Choice {
  option: number | null;
  words: string;
}

export const NO_CHOICE: Choice = { option: null, words: "" };

/** The answer as it is sent; empty: there is none yet. */
export function answerOf(question: Question | undefined, { option, words }: Choice): string {
  return option === null ? words.trim() : (question?.options[option]?.label ?? "");
}
