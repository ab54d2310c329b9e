import { Info } from "lucide-react";

import { visible } from "@/lib/text/visible";
import { LongText } from "@/ui/long/LongText";
import { Markdown } from "@/ui/markdown/Markdown";

import type { PartProps } from "./index";
import { useReleased } from "./release/useReleased";

/** What was said. People's words are shown as they typed them, the agent's as Markdown, the server's as a notice. */
export function TextPart({ part, role, live }: PartProps<"text">) {
  if (role === "assistant") return <Said text={part.text} live={live} />;
  if (role === "system") return <Notice text={part.text} />;
  return <LongText text={part.text} />;
}

/** Its own leaf: while it is said, it changes with every frame. What was drawn stays when it is whole. */
function Said({ text, live }: { text: string; live: boolean }) {
  return <Markdown text={useReleased(text, live)} growing={live} />;
}

export function Notice({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words whitespace-pre-wrap">{visible(text)}</span>
    </p>
  );
}
