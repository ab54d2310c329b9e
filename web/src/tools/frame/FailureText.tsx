import { classes } from "@/lib/classes";
import { visible } from "@/lib/text/visible";

const CHARACTERS_MAX = 4_000;

/** Why something failed, as the tool said it. Where a person wanted it so, it is nothing bad. */
export function FailureText({ text, isBad = true }: { text: string; isBad?: boolean }) {
  return (
    <p
      className={classes(
        "mb-1.5 ml-7 max-h-48 overflow-auto text-sm break-words whitespace-pre-wrap",
        isBad ? "text-bad" : "text-muted",
      )}
    >
      {visible(text.slice(0, CHARACTERS_MAX))}
    </p>
  );
}
