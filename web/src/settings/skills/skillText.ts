/** A `SKILL.md` as the fields of a form, and back (pure). The server reads it again and has the last word. */

export interface SkillValues {
  name: string;
  description: string;
  /** Lines of the front matter that the form does not show; they are kept. */
  more: string;
  body: string;
}

export const NEW_SKILL: SkillValues = { name: "", description: "", more: "", body: "" };

export const SKILL_BYTES_MAX = 64 * 1024;

const FENCE = /^---\s*$/;
const FIELD = /^([A-Za-z][\w-]*):\s*(.*)$/;

/** The fields of a text, or a sentence on what is wrong with it. */
export function readSkill(text: string): SkillValues | string {
  if (new TextEncoder().encode(text).length > SKILL_BYTES_MAX) return "The file has more than 64 KiB.";
  const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
  if (!FENCE.test(lines[0] ?? ""))
    return "The file has no front matter: its first line must be three hyphens.";
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return "The front matter does not end: a second line of three hyphens is missing.";
  const found = readFields(lines.slice(1, end));
  if (typeof found === "string") return found;
  const { name, description, more } = found;
  if (name === "") return "The front matter has no name.";
  if (description === "") return "The front matter has no description.";
  return {
    name,
    description,
    more,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function readFields(lines: readonly string[]): Omit<SkillValues, "body"> | string {
  const known = { name: "", description: "" };
  const more: string[] = [];
  // What the lines that are indented belong to.
  let open: "name" | "description" | null = null;
  for (const line of lines) {
    const field = FIELD.exec(line);
    if (field) {
      const [, key = "", value = ""] = field;
      open = key === "name" || key === "description" ? key : null;
      if (open === null) more.push(line);
      else known[open] = /^[>|][+-]?$/.test(value.trim()) ? "" : unquoted(value.trim());
    } else if (/^\s+\S/.test(line) && open !== null) {
      known[open] = `${known[open]} ${line.trim()}`.trim();
    } else if (line.trim() === "" || line.startsWith("#") || (/^\s|^-/.test(line) && more.length > 0)) {
      more.push(line);
    } else {
      return `The front matter cannot be read at this line: ${line.slice(0, 60)}`;
    }
  }
  return { ...known, more: more.join("\n").trim() };
}

function unquoted(value: string): string {
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(value);
  if (!quoted) return value;
  return quoted[1] !== undefined
    ? quoted[1].replace(/\\(["\\])/g, "$1")
    : (quoted[2] ?? "").replace(/''/g, "'");
}

export function writeSkill({ name, description, more, body }: SkillValues): string {
  const line = description.replace(/\s+/g, " ").trim().replace(/[\\"]/g, "\\$&");
  const front = [`name: ${name.trim()}`, `description: "${line}"`, more].filter(Boolean).join("\n");
  return `---\n${front}\n---\n\n${body.trim()}\n`;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export function skillProblems(values: SkillValues): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!NAME.test(values.name.trim()))
    problems.name = "Use small letters, digits and single hyphens, such as review-code.";
  if (values.description.trim() === "") problems.description = "Say in a sentence when agents should use it.";
  if (values.body.trim() === "") problems.body = "Write what agents should do.";
  return problems;
}
