import { Info } from "lucide-react";

import { visible } from "@/lib/text/visible";
import { Markdown } from "@/ui/markdown/Markdown";

import type { PartProps } from "./index";
import { useReleased } from "./useReleased";

/** What was said. People's words are shown as they typed them, the agent's as Markdown, the server's as a notice. */
export function TextPart({ part, role, live }: PartProps<"text">) {
  if (role === "assistant") return live ? <Growing text={part.text} /> : <Markdown text={part.text} />;
  if (role === "system") return <Notice text={part.text} />;
  return (
    <p dir="auto" className="break-words whitespace-pre-wrap">
      {visible(part.text)}
    </p>
  );
}

/** Its own leaf: it changes with every frame. */
function Growing({ text }: { text: string }) {
  return <Markdown text={useReleased(text, true)} growing />;
}

export function Notice({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words whitespace-pre-wrap">{visible(text)}</span>
    </p>
  );
}
