/** What a text offers at the place of the cursor: commands, skills, files (pure). */

export interface Trigger {
  kind: "/" | "@";
  /** What is typed after it. */
  text: string;
  /** Where it begins in the whole text. */
  from: number;
}

/** `/` at the very start, `@` at the start of a word: not within an address or a path. */
export function triggerAt(text: string, cursor: number): Trigger | null {
  const before = text.slice(0, cursor);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: "/", text: command[1] ?? "", from: 0 };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) return { kind: "@", text: mention[1] ?? "", from: cursor - (mention[1]?.length ?? 0) - 1 };
  return null;
}
