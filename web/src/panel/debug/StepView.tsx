import type { DebugStep } from "@/api/chats/inspect";
import { readable } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import { duration } from "@/lib/time";

/** Of one text that is shown; the file has all of it. */
const CHARACTERS_MAX = 50_000;

/** One call of a model, however often it had to be tried. */
export function StepView({ step }: { step: DebugStep }) {
  return (
    <section aria-label={`Step ${step.number}`} className="rounded-lg border border-line text-sm">
      <p className="flex flex-wrap justify-between gap-2 px-3 py-2">
        <span className="font-medium">
          Step {step.number}: {step.operation.replaceAll("_", " ")}
        </span>
        <span className="text-xs leading-5 text-muted">{plural(step.attempts.length, "attempt")}</span>
      </p>
      {step.error && (
        <p className="mx-3 mb-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
          {[step.error.message, step.error.detail].filter(Boolean).join(" ")}
        </p>
      )}
      <Json title="What was asked" value={step.request} />
      <Json title="What was answered" value={step.response} />
      {step.attempts.map((attempt, index) => (
        <Json
          // biome-ignore lint/suspicious/noArrayIndexKey: attempts are known by their order
          key={index}
          title={`Attempt ${index + 1}: ${attempt.response?.status ?? attempt.error ?? "no answer"}, ${duration(attempt.duration_ms)}`}
          value={attempt}
        />
      ))}
    </section>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  const text = readable(value);
  return (
    <details className="border-t border-line">
      <summary className="cursor-pointer px-3 py-1.5 text-muted hover:bg-hover hover:text-text">
        {title}
      </summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {visible(text.slice(0, CHARACTERS_MAX))}
        {text.length > CHARACTERS_MAX && "\n… The saved file has the rest."}
      </pre>
    </details>
  );
}
