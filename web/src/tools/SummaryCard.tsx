import { FoldVertical } from "lucide-react";
import { fieldsOf, numberOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { Scroll } from "@/ui/Group";
import { Markdown } from "@/ui/markdown/Markdown";

import { Frame } from "./frame/Frame";
import type { ToolCardProps } from "./index";

/** A compaction: from here on the agent goes by a summary of what was said before. */
export function SummaryCard({ call }: ToolCardProps) {
  const result = fieldsOf(call.result?.result);
  const isLive = call.result === null;
  const summary = isLive ? call.output : textOf(result.summary);
  const why = textOf(result.without_model);
  return (
    <Frame
      call={call}
      icon={FoldVertical}
      verbs={["Summing up the chat", "Summed up the chat", "Could not sum up the chat"]}
      target={textOf(result.source) === "manual" ? "as you asked" : ""}
      meta={fullness(
        numberOf(result.context_tokens),
        numberOf(result.context_limit_tokens),
        numberOf(result.usage_percent),
      )}
    >
      {summary && (
        <>
          <p className="mb-2 text-sm text-muted">
            {isLive ? "The agent will go on" : "The agent goes on"} with this summary of what was said before.
          </p>
          {why && <p className="mb-2 text-sm text-warn">It was made without a model: {visible(why)}</p>}
          <Scroll className="max-h-96 overflow-auto text-sm" label="Summary">
            <Markdown text={summary} growing={isLive} />
          </Scroll>
        </>
      )}
    </Frame>
  );
}

function fullness(tokens: number | null, limit: number | null, percent: number | null): string {
  if (!tokens || !limit) return "";
  return `${thousands(tokens)} of ${thousands(limit)} tokens${percent === null ? "" : ` (${percent} %)`}`;
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000).toLocaleString()}k`;
}
