import type { Part } from "@/api/types";

/** A part as text, or as what it is. */
export function PlainPart({ part }: { part: Part }) {
  const text = "text" in part ? part.text : JSON.stringify(part);
  return <p className="break-words whitespace-pre-wrap">{text}</p>;
}
