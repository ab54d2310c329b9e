/** What stands behind the fence of a code block: its language, and perhaps the name of a file. */

export interface Fence {
  language: string;
  title: string;
}

const TITLE = /(?:^|\s)(?:title|file|filename|path)=(?:"([^"]*)"|'([^']*)'|(\S+))/;
const INFO_CHARACTERS_MAX = 300;

/** Takes `ts`, `ts title="src/a.ts"`, `ts:src/a.ts`, `12:20:src/a.ts` and `src/a.ts`. */
export function fenceOf(info: string | undefined): Fence {
  const given = (info ?? "").trim().slice(0, INFO_CHARACTERS_MAX);
  const named = TITLE.exec(given);
  const [first = ""] = given.split(/\s/, 1);
  if (named) return { language: languageIn(first), title: named[1] ?? named[2] ?? named[3] ?? "" };
  const colon = first.lastIndexOf(":");
  if (colon >= 0) return titled(first.slice(colon + 1), first.slice(0, colon));
  return first.includes("/") || /\.\w+$/.test(first) ? titled(first) : { language: first, title: "" };
}

function titled(path: string, language = ""): Fence {
  const isName = /^[a-z][\w+#-]*$/i.test(language);
  return { language: isName ? language : (path.split(".").pop() ?? ""), title: path };
}

function languageIn(word: string): string {
  return word.includes("=") ? "" : word;
}
