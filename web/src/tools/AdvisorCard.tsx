import { Lightbulb } from "lucide-react";

import { fieldsOf, numberOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { Markdown } from "@/ui/markdown/Markdown";

import { Badge } from "./frame/Badges";
import { FailureText } from "./frame/FailureText";
import { Frame } from "./frame/Frame";
import type { ToolCardProps } from "./index";

/** The advice of a second model. It is shown as it comes. */
export function AdvisorCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const result = fieldsOf(call.result?.result);
  const isLive = call.result === null;
  const advice = isLive ? call.output : textOf(result.advice);
  const error = textOf(result.type) === "error" ? textOf(result.error) : "";
  const left = numberOf(result.remaining_uses);
  return (
    <>
      <Frame
        call={call}
        icon={Lightbulb}
        verbs={["Asking the advisor", "Asked the advisor", "Could not ask the advisor"]}
        target={textOf(args.model_intent) || textOf(args.question)}
        state={error ? "failed" : undefined}
        meta={
          textOf(result.type) === "limit_reached" ? (
            <Badge text="no uses left" warn />
          ) : (
            visible(textOf(result.advisor_model))
          )
        }
        open={isLive}
      >
        <p className="mb-2 text-sm break-words whitespace-pre-wrap text-muted">
          {visible(textOf(args.question))}
        </p>
        {advice && <Markdown text={advice} growing={isLive} />}
        {!advice && !isLive && !error && <p className="text-sm">The advisor had nothing to say.</p>}
        {left !== null && left > 0 && (
          <p className="mt-2 text-xs text-muted">It may be asked {left} more times in this turn.</p>
        )}
      </Frame>
      {error && <FailureText text={error} />}
    </>
  );
}
