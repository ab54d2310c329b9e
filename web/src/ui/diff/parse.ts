/** Reads unified diffs (pure). What is no diff is left as text. */

export interface DiffLine {
  kind: "added" | "removed" | "same" | "hunk" | "note";
  text: string;
  /** Its number in the file before and after; null: it is not in it. */
  before: number | null;
  after: number | null;
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const KINDS: Readonly<Record<string, DiffLine["kind"]>> = { "+": "added", "-": "removed", " ": "same" };

/** One for each file of the diff; none: it is no diff. */
export function parseDiff(diff: string): FileDiff[] {
  const reader = new Reader();
  for (const line of diff.replace(/\n$/, "").split("\n")) reader.take(line);
  return reader.files;
}

class Reader {
  readonly files: FileDiff[] = [];
  // The numbers of the next lines, and how many the hunk still has: `--- x` in a hunk is a line that was removed.
  #before = 0;
  #after = 0;
  #beforeLeft = 0;
  #afterLeft = 0;

  take(line: string): void {
    const file = this.files.at(-1);
    if (this.#beforeLeft > 0 || this.#afterLeft > 0) {
      if (file) this.#takeLine(file, line);
    } else if (line.startsWith("--- ")) {
      this.files.push({ path: pathIn(line), lines: [], added: 0, removed: 0 });
    } else if (line.startsWith("+++ ") && file) {
      if (!line.endsWith("/dev/null")) file.path = pathIn(line);
    } else if (file) {
      this.#begin(file, line);
    }
  }

  #begin(file: FileDiff, line: string): void {
    const hunk = HUNK.exec(line);
    if (hunk) {
      this.#before = Number(hunk[1]);
      this.#beforeLeft = Number(hunk[2] ?? 1);
      this.#after = Number(hunk[3]);
      this.#afterLeft = Number(hunk[4] ?? 1);
      file.lines.push({ kind: "hunk", text: hunk[5] ?? "", before: null, after: null });
    } else if (/^[\\[]/.test(line)) {
      file.lines.push({ kind: "note", text: line.replace(/^\\ /, ""), before: null, after: null });
    }
  }

  #takeLine(file: FileDiff, line: string): void {
    const kind = KINDS[line[0] ?? " "] ?? "note";
    const isBefore = kind === "removed" || kind === "same";
    const isAfter = kind === "added" || kind === "same";
    file.lines.push({
      kind,
      text: kind === "note" ? line.replace(/^\\ /, "") : line.slice(1),
      before: isBefore ? this.#before++ : null,
      after: isAfter ? this.#after++ : null,
    });
    if (isBefore) this.#beforeLeft -= 1;
    if (isAfter) this.#afterLeft -= 1;
    if (kind === "added") file.added += 1;
    if (kind === "removed") file.removed += 1;
  }
}

function pathIn(line: string): string {
  return (
    line
      .slice(4)
      .split("\t")[0]
      ?.replace(/^"?[ab]\//, "")
      .replace(/"$/, "") ?? ""
  );
}

/** How much all files have changed. */
export function changed(files: readonly FileDiff[]): { added: number; removed: number } {
  return {
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
  };
}
