/** Which turns have changed files (pure). */

import type { Checkpoints, Prompt } from "@/api/chats/changes";

export interface ChangingTurn {
  /** The message of the user that began it. */
  messageId: number;
  words: string;
}

/** The newest first, as `prompts` are. A checkpoint belongs to the last message of a user before it. */
export function changingTurns(prompts: readonly Prompt[], { checkpoints }: Checkpoints): ChangingTurn[] {
  return prompts
    .filter((prompt, index) => {
      const next = prompts[index - 1]?.id ?? Number.POSITIVE_INFINITY;
      return checkpoints.some((each) => each.message_id > prompt.id && each.message_id < next);
    })
    .map((prompt) => ({ messageId: prompt.id, words: prompt.text }));
}

const WORDS_MAX = 60;

/** A message in one short line. */
export function inShort(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line || "(no text)";
}
