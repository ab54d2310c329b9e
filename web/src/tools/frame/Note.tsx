import { visible } from "@/lib/text/visible";

/** What a tool remarks on its result. */
export function Note({ text }: { text: string }) {
  return text ? <p className="mt-1 text-xs break-words text-muted">{visible(text)}</p> : null;
}
