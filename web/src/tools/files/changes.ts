/** What a call changes in files: as the server compared them, or as far as its arguments tell (pure). */
import { fieldsOf, listOf, textOf } from "@/lib/json";
import type { ShownCall } from "@/live/rows/call";
import { type DiffLine, type FileDiff, parseDiff } from "@/ui/diff/parse";

/** Of edit_files. Files whose diff is not there are shown as their edits say. */
export function editsOf(call: ShownCall): FileDiff[] {
  const compared = listOf(fieldsOf(call.result?.result).files).map(fieldsOf);
  const asked = listOf(fieldsOf(call.args).files).map(fieldsOf);
  return asked.flatMap((file, index) => {
    const path = textOf(file.path);
    const diff = textOf((compared.find((each) => each.path === path) ?? compared[index])?.diff);
    const parsed = parseDiff(diff);
    return parsed.length > 0 ? parsed : [asAsked(path, listOf(file.edits))];
  });
}

/** Of write_file. A file that is new is all additions. */
export function writeOf(call: ShownCall): FileDiff[] {
  const args = fieldsOf(call.args);
  const parsed = parseDiff(textOf(fieldsOf(call.result?.result).diff));
  if (parsed.length > 0) return parsed;
  return [{ path: textOf(args.path), ...counted(linesOf(textOf(args.content), "added", true)) }];
}

function asAsked(path: string, edits: readonly unknown[]): FileDiff {
  const lines = edits.map(fieldsOf).flatMap((edit) => [
    {
      kind: "hunk",
      text: edit.replace_all === true ? "everywhere" : "",
      before: null,
      after: null,
    } as const,
    ...linesOf(textOf(edit.old_text) || textOf(edit.search), "removed"),
    ...linesOf(textOf(edit.new_text) || textOf(edit.replace), "added"),
  ]);
  return { path, ...counted(lines) };
}

function linesOf(text: string, kind: "added" | "removed", numbered = false): DiffLine[] {
  if (text === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, index) => ({ kind, text: line, before: null, after: numbered ? index + 1 : null }));
}

function counted(lines: DiffLine[]): Omit<FileDiff, "path"> {
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { lines, added: count("added"), removed: count("removed") };
}
