/** A plan: its text, what is different from the one before, and the word of the person who was asked. */

import { ClipboardList } from "lucide-react";
import { useState } from "react";
import { fieldsOf, numberOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { CopyButton } from "@/ui/code/CopyButton";
import { Diff } from "@/ui/diff/Diff";
import { Scroll } from "@/ui/Group";
import { Markdown } from "@/ui/markdown/Markdown";

import { Badge } from "../frame/Badges";
import { Frame } from "../frame/Frame";
import type { ToolCardProps } from "../index";
import { PlanAnswers } from "./PlanAnswers";
import { usePlan } from "./usePlan";

const DECISIONS: Readonly<Record<string, string>> = {
  accept: "accepted",
  revise: "to be changed",
  decline: "declined",
};

export function PlanCard({ chatId, call }: ToolCardProps) {
  const result = fieldsOf(call.result?.result);
  const version = call.waiting?.plan?.version ?? numberOf(result.version);
  const decision = DECISIONS[textOf(result.decision)];
  const isAsked = call.waiting?.plan !== undefined;
  return (
    <Frame
      call={call}
      icon={ClipboardList}
      verbs={["Proposing a plan", "Proposed a plan", "Could not propose a plan"]}
      target={version ? `version ${version}` : ""}
      meta={decision && <Badge text={decision} />}
      open={isAsked}
    >
      <PlanBody chatId={chatId} call={call} version={version} />
      {textOf(result.feedback) && (
        <p className="mt-2 text-sm break-words whitespace-pre-wrap">
          <span className="text-muted">To be different: </span>
          {visible(textOf(result.feedback))}
        </p>
      )}
      {isAsked && call.waiting && <PlanAnswers waiting={call.waiting} />}
    </Frame>
  );
}

function PlanBody({ chatId, call, version }: ToolCardProps & { version: number | null }) {
  const plan = usePlan(chatId, call, version);
  const [isDiff, setDiff] = useState(false);
  if (plan.state === "loading") return <p className="text-sm text-muted">Loading the plan.</p>;
  if (plan.state === "failed") {
    return <p className="text-sm text-bad">The plan could not be loaded. {plan.why}</p>;
  }
  if (plan.text.trim() === "") return <p className="text-sm text-muted">The plan is empty.</p>;
  return (
    <article aria-label="Plan" className="min-w-0 rounded-lg border border-line bg-raised">
      <header className="flex items-center justify-end gap-1 px-2 pt-1">
        {plan.diff && (
          <button
            type="button"
            aria-pressed={isDiff}
            onClick={() => setDiff(!isDiff)}
            className="h-7 rounded-md px-2 text-xs text-muted hover:bg-hover hover:text-text"
          >
            {isDiff ? "Show the plan" : "Show what is new"}
          </button>
        )}
        <CopyButton text={plan.text} what="plan" />
      </header>
      <Scroll className="max-h-[32rem] overflow-auto px-4 pb-4" label="Text of the plan">
        {isDiff ? (
          <Diff diff={plan.diff} paths={false} />
        ) : (
          <Markdown text={plan.text} growing={call.progress === "saying"} />
        )}
      </Scroll>
    </article>
  );
}
