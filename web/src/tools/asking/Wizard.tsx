/** One question after the other, each with its options and room for words of one's own. */
import { useId, useRef, useState } from "react";

import type { WaitingFor } from "@/api/types";
import { visible } from "@/lib/text/visible";
import { Button } from "@/ui/Button";

import type { Answer, ChatActions } from "../actions";
import { useAnswer } from "../frame/useAnswer";
import { useKeys } from "../frame/useKeys";
import { answerOf, type Choice, NO_CHOICE, type Question } from "./choice";
import { Options } from "./Options";

interface Props {
  waiting: WaitingFor;
  questions: readonly Question[];
  /** Null: the questions are only shown. */
  actions: ChatActions | null;
}

export function Wizard({ waiting, questions, actions }: Props) {
  const place = useRef<HTMLFormElement>(null);
  const heading = useId();
  const [step, setStep] = useState(0);
  const [choices, setChoices] = useState<readonly Choice[]>(() => questions.map(() => NO_CHOICE));
  const { busy, failure, run } = useAnswer();
  const question = questions[step];
  const choice = choices[step] ?? NO_CHOICE;
  const isLast = step === questions.length - 1;
  const isAnswered = answerOf(question, choice) !== "";
  const choose = (chosen: Choice) => setChoices(choices.with(step, chosen));
  const submit = (answer: Answer) => run(() => actions?.answer(waiting, answer));
  const go = () => {
    if (!isAnswered || busy) return;
    if (isLast) submit(questions.map((each, index) => answerOf(each, choices[index] ?? NO_CHOICE)));
    else setStep(step + 1);
  };
  useKeys(place, actions !== null && !busy, keysOf(question, choose, go));
  if (question === undefined) return null;
  return (
    <form
      ref={place}
      data-asks
      className="my-2 min-w-0 rounded-lg border border-line bg-raised p-4 text-sm"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <p className="flex justify-between gap-4 text-xs text-muted">
        <span>{visible(question.header)}</span>
        {questions.length > 1 && (
          <span className="tabular-nums">
            {step + 1} of {questions.length}
          </span>
        )}
      </p>
      <h2 id={heading} className="mt-1 font-medium break-words whitespace-pre-wrap">
        {visible(question.question)}
      </h2>
      <Options
        key={step}
        question={question}
        choice={choice}
        disabled={actions === null}
        onChoose={choose}
        labelledBy={heading}
      />
      {actions && (
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Button type="submit" size="small" look="primary" disabled={!isAnswered} busy={busy}>
            {isLast ? "Send" : "Next"}
          </Button>
          {step > 0 && (
            <Button size="small" onClick={() => setStep(step - 1)} disabled={busy}>
              Back
            </Button>
          )}
          <Button
            size="small"
            look="quiet"
            className="ml-auto text-muted"
            disabled={busy}
            onClick={() => submit(null)}
          >
            Let the agent decide
          </Button>
        </div>
      )}
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </form>
  );
}

/** The number of an option chooses it, and Enter goes on. */
function keysOf(question: Question | undefined, choose: (choice: Choice) => void, go: () => void) {
  const options = (question?.options ?? []).map(
    (_, index) => [String(index + 1), () => choose({ option: index, words: "" })] as const,
  );
  return { ...Object.fromEntries(options), enter: go };
}
