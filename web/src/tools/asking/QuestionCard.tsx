/** Questions of the agent: asked one after the other, and afterwards shown with their answers. */
import { MessageCircleQuestion } from "lucide-react";

import { fieldsOf, listOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";

import { useSurroundings } from "../actions";
import { Badge } from "../frame/Badges";
import { Frame } from "../frame/Frame";
import type { ToolCardProps } from "../index";
import { Wizard } from "./Wizard";

export function QuestionCard({ call }: ToolCardProps) {
  const { actions } = useSurroundings();
  const asked = listOf(fieldsOf(call.args).questions).map(fieldsOf);
  const questions = call.waiting?.questions;
  const answers = listOf(fieldsOf(call.result?.result).answers).map(fieldsOf);
  const count = questions?.length ?? asked.length;
  const isSkipped = call.result !== null && !call.result.is_error && answers.length === 0;
  return (
    <>
      <Frame
        call={call}
        icon={MessageCircleQuestion}
        verbs={["Asking", "Asked", "Could not ask"]}
        target={count === 1 ? textOf(asked[0]?.question) : count === 0 ? "you" : plural(count, "question")}
        meta={isSkipped ? <Badge text="not answered" /> : undefined}
        open
      >
        {answers.length > 0 && (
          <dl className="grid gap-2 text-sm">
            {answers.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: answers have the order of the questions
              <div key={index}>
                <dt className="text-muted">{visible(textOf(each.question))}</dt>
                <dd className="break-words whitespace-pre-wrap">{visible(textOf(each.answer))}</dd>
              </div>
            ))}
          </dl>
        )}
      </Frame>
      {call.waiting && questions && questions.length > 0 && (
        <Wizard key={call.id} waiting={call.waiting} questions={questions} actions={actions} />
      )}
    </>
  );
}
