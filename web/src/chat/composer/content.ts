/** What was written, as it is sent (pure). */

import type { Draft, DraftReference } from "@/lib/kept/draft";
import type { Outgoing } from "../send";

type Content = Outgoing["content"];

/** Each comment follows the lines that it is about; what is said of all comes last. */
export function contentOf({ text, files, references }: Draft): Content {
  return [
    ...references.flatMap(referred),
    ...files.map((file) => ({ type: "file" as const, file_id: file.id, name: file.name })),
    ...(text.trim() ? [{ type: "text" as const, text: text.trim() }] : []),
  ];
}

function referred({ file, first, last, lines, comment }: DraftReference): Content {
  return [
    { type: "file-reference", file_name: file, start_line: first, end_line: last, content: lines },
    ...(comment ? [{ type: "text" as const, text: comment }] : []),
  ];
}
