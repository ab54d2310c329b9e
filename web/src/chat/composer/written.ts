/** A message as its writer left it, for the field in which it is written on (pure). */

import type { Message } from "@/api/types";
import type { Draft } from "./draft";

export function writtenIn({ content }: Pick<Message, "content">): Pick<Draft, "text" | "files"> {
  const texts = content.flatMap((part) => (part.type === "text" && part.text ? [part.text] : []));
  const files = content.flatMap((part) =>
    part.type === "file"
      ? [{ id: part.file_id, name: part.name ?? "File", media_type: part.media_type, size_bytes: null }]
      : [],
  );
  return { text: texts.join("\n"), files };
}
