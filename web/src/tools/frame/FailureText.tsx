import { visible } from "@/lib/text/visible";

const CHARACTERS_MAX = 4_000;

/** Why something failed, as the tool said it. */
export function FailureText({ text }: { text: string }) {
  return (
    <p className="mb-1.5 ml-7 max-h-48 overflow-auto text-sm break-words whitespace-pre-wrap text-bad">
      {visible(text.slice(0, CHARACTERS_MAX))}
    </p>
  );
}
