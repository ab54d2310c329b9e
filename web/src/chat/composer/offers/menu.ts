/** What a text offers at the place of the cursor: commands, skills, files (pure). */

/** Something that can be chosen while writing. With `run` it is done; with `insert` it goes into the text. */
export interface Offer {
  name: string;
  label?: string;
  run?: () => void;
  insert?: string;
}

export interface Skill {
  name: string;
  description: string;
  origin: "workspace" | "personal";
}

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
  const command = /^\/([\w-]*\/?[\w-]*)$/.exec(before);
  if (command) return { kind: "/", text: command[1] ?? "", from: 0 };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) return { kind: "@", text: mention[1] ?? "", from: cursor - (mention[1]?.length ?? 0) - 1 };
  return null;
}

const OFFERS_MAX = 8;

/** Commands first, then skills. A skill hides a command of its name; two of one name are told apart by origin. */
export function commandsFor(
  sought: string,
  commands: readonly Offer[],
  skills: readonly Skill[],
): readonly Offer[] {
  const taken = new Set(skills.map((each) => each.name));
  const all = [
    ...commands.filter((each) => !taken.has(each.name)),
    ...skills.map((each) => asOffer(each, skills)),
  ];
  return all.filter((each) => isMeant(each.name, sought.toLowerCase())).slice(0, OFFERS_MAX);
}

export function filesFor(paths: readonly string[]): readonly Offer[] {
  return paths.slice(0, OFFERS_MAX).map((name) => ({ name, insert: `@${name} ` }));
}

function asOffer({ name, description, origin }: Skill, skills: readonly Skill[]): Offer {
  const isAlone = skills.filter((each) => each.name === name).length === 1;
  const called = isAlone ? name : `${origin}/${name}`;
  return { name: called, label: description, insert: `/${called} ` };
}

/** By the beginning of its name, with or without the origin before it. */
const isMeant = (name: string, sought: string): boolean =>
  name.startsWith(sought) || (name.split("/").at(-1) ?? "").startsWith(sought);
