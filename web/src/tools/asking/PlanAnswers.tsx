import { useRef, useState } from "react";

import type { WaitingFor } from "@/api/types";
import { Button } from "@/ui/Button";

import { type PlanAnswer, useSurroundings } from "../actions";
import { Key } from "../frame/Key";
import { useAnswer } from "../frame/useAnswer";
import { useKeys } from "../frame/useKeys";

/** The word of a person on a plan: carry it out, change it, or leave it. */
export function PlanAnswers({ waiting }: { waiting: WaitingFor }) {
  const { actions, mayApprove } = useSurroundings();
  const place = useRef<HTMLDivElement>(null);
  const [feedback, setFeedback] = useState<string | null>(null);
  const { busy, failure, run } = useAnswer();
  const say = (answer: PlanAnswer) => run(() => actions?.answer(waiting, answer));
  useKeys(place, actions !== null && mayApprove && !busy && feedback === null, {
    y: () => say({ decision: "accept" }),
    c: () => setFeedback(""),
    n: () => say({ decision: "decline" }),
  });
  if (!mayApprove) return <p className="mt-3 text-sm text-muted">The owner of the chat decides.</p>;
  if (actions === null) return null;
  return (
    <div ref={place} data-asks className="mt-3 text-sm">
      {feedback === null ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" look="primary" busy={busy} onClick={() => say({ decision: "accept" })}>
            Carry it out <Key name="y" />
          </Button>
          <Button size="small" disabled={busy} onClick={() => setFeedback("")}>
            Ask for changes <Key name="c" />
          </Button>
          <Button size="small" look="quiet" disabled={busy} onClick={() => say({ decision: "decline" })}>
            Decline <Key name="n" />
          </Button>
        </div>
      ) : (
        <Revise
          text={feedback}
          busy={busy}
          onChange={setFeedback}
          onSend={() => say({ decision: "revise", feedback: feedback.trim() })}
        />
      )}
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </div>
  );
}

interface ReviseProps {
  text: string;
  busy: boolean;
  onChange: (text: string | null) => void;
  onSend: () => void;
}

function Revise({ text, busy, onChange, onSend }: ReviseProps) {
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onSend();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it appears because a person asked for it
        autoFocus
        rows={3}
        aria-label="What should be different"
        placeholder="What should be different"
        value={text}
        maxLength={10_000}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onChange(null);
          } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.currentTarget.form?.requestSubmit();
          }
        }}
        className="w-full rounded-md border border-line-strong bg-page px-2.5 py-1.5"
      />
      <div className="flex gap-2">
        <Button type="submit" size="small" look="primary" busy={busy} disabled={text.trim() === ""}>
          Send
        </Button>
        <Button size="small" look="quiet" onClick={() => onChange(null)}>
          Back
        </Button>
      </div>
    </form>
  );
}
