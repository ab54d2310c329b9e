/** What the model thought before it spoke: open while it thinks, folded with its duration afterwards. */

import { Brain, ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { classes } from "@/lib/classes";
import { preference } from "@/lib/kept/preferences";
import { duration } from "@/lib/time";
import { Group } from "@/ui/Group";
import { Markdown } from "@/ui/markdown/Markdown";

import type { PartProps } from "./index";
import { useReleased } from "./release/useReleased";

export function ReasoningPart({ part, live }: PartProps<"reasoning">) {
  const id = useId();
  const mode = preference("show.reasoning");
  const isThinking = live && !part.completed_at;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? (mode === "auto" ? isThinking : mode !== "closed");
  const isPreview = isOpen && chosen === null && (mode === "preview" || (mode === "auto" && isThinking));
  if (part.text.trim() === "") return isThinking ? <p className="text-sm text-muted">Thinking</p> : null;
  return (
    <Group label="Thinking" className="min-w-0 text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setChosen(!isOpen)}
        className="flex min-h-8 items-center gap-2 rounded-md px-1.5 text-muted hover:bg-hover"
      >
        <Brain
          aria-hidden
          size={15}
          strokeWidth={1.75}
          className={classes(isThinking && "animate-pulse text-accent")}
        />
        {isThinking ? "Thinking" : thoughtFor(part.created_at, part.completed_at)}
        <ChevronRight
          aria-hidden
          size={14}
          className={classes("transition-transform", isOpen && "rotate-90")}
        />
      </button>
      {isOpen && (
        <div id={id} className="mt-1 mb-2 ml-1.5 border-l border-line pl-4 text-muted">
          <Thought text={part.text} live={isThinking} preview={isPreview} />
        </div>
      )}
    </Group>
  );
}

function Thought({ text, live, preview }: { text: string; live: boolean; preview: boolean }) {
  const shown = useReleased(text, live);
  // Its end is at the bottom of what is shown: the newest thought is the one that is read.
  return (
    <div className={classes(preview && "flex max-h-40 flex-col-reverse overflow-hidden")}>
      <div className="shrink-0">
        <Markdown text={shown} growing={live} />
      </div>
    </div>
  );
}

function thoughtFor(began?: string | null, ended?: string | null): string {
  const ms = began && ended ? new Date(ended).getTime() - new Date(began).getTime() : Number.NaN;
  return ms >= 1_000 ? `Thought for ${duration(ms)}` : "Thought";
}
