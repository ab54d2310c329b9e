import { useRef } from "react";

import { classes } from "@/lib/classes";
import { visible } from "@/lib/text/visible";

import { Key } from "../frame/Key";
import type { Choice, Question } from "./choice";

interface Props {
  question: Question;
  choice: Choice;
  disabled: boolean;
  labelledBy: string;
  onChoose: (choice: Choice) => void;
}

/** The options of a question, and a field for what is none of them. */
export function Options({ question, choice, disabled, labelledBy, onChoose }: Props) {
  return (
    <div role="radiogroup" aria-labelledby={labelledBy} className="mt-2 grid gap-1.5">
      {question.options.map((option, index) => (
        <label key={option.label} className={row(choice.option === index)}>
          <input
            type="radio"
            name={labelledBy}
            checked={choice.option === index}
            disabled={disabled}
            onChange={() => onChoose({ option: index, words: choice.words })}
            className="mt-1 accent-accent"
          />
          <span className="min-w-0 flex-1">
            <span className="block break-words">{visible(option.label)}</span>
            <span className="block text-xs break-words text-muted">{visible(option.description)}</span>
          </span>
          {!disabled && <Key name={String(index + 1)} />}
        </label>
      ))}
      <Other choice={choice} disabled={disabled} labelledBy={labelledBy} onChoose={onChoose} />
    </div>
  );
}

function Other({ choice, disabled, labelledBy, onChoose }: Omit<Props, "question">) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isChosen = choice.option === null && choice.words !== "";
  return (
    <div className={row(isChosen)}>
      <input
        type="radio"
        name={labelledBy}
        aria-label="Something else"
        checked={isChosen}
        disabled={disabled}
        onChange={() => field.current?.focus()}
        className="mt-1 accent-accent"
      />
      <textarea
        ref={field}
        rows={1}
        aria-label="In your own words"
        placeholder="Something else, in your own words"
        value={choice.words}
        disabled={disabled}
        maxLength={10_000}
        onChange={(event) => onChoose({ option: null, words: event.target.value })}
        onFocus={() => choice.words && onChoose({ option: null, words: choice.words })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        className="field-sizing-content max-h-40 min-h-6 min-w-0 flex-1 resize-none bg-transparent outline-none"
      />
    </div>
  );
}

function row(isChosen: boolean): string {
  return classes(
    "flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2",
    "focus-within:outline-2 focus-within:outline-accent",
    isChosen ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
  );
}
