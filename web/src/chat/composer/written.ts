/** A message as its writer left it, for the field in which it is written on (pure). */

import type { Message } from "@/api/types";
import type { Draft } from "@/lib/kept/draft";

export function writtenIn({ content }: Pick<Message, "content">): Omit<Draft, "at"> {
  const texts = content.flatMap((part) => (part.type === "text" && part.text ? [part.text] : []));
  const files = content.flatMap((part) =>
    part.type === "file"
      ? [{ id: part.file_id, name: part.name ?? "File", media_type: part.media_type, size_bytes: null }]
      : [],
  );
  // What was said of them is among the texts.
  const references = content.flatMap((part, index) =>
    part.type === "file-reference"
      ? [
          {
            key: `written ${index}`,
            file: part.file_name,
            first: part.start_line ?? 1,
            last: part.end_line ?? part.start_line ?? 1,
            lines: part.content ?? "",
            comment: "",
          },
        ]
      : [],
  );
  return { text: texts.join("\n"), files, references };
}
