import { hiddenIn } from "@/lib/text/hidden";
import { TextArea } from "@/ui/Field";
import { Notice } from "../Rows";

interface PromptAreaProps {
  label: string;
  help?: string;
  value: string;
  error?: string;
  rows?: number;
  onChange: (event: { target: { value: string } }) => void;
}

/** Text for models. What cannot be seen in it is warned of: models read it all the same. */
export function PromptArea({ rows = 10, value, ...rest }: PromptAreaProps) {
  const hidden = hiddenIn(value);
  return (
    <div className="flex flex-col gap-2">
      <TextArea {...rest} value={value} rows={rows} spellCheck className="font-mono text-[0.8125rem]" />
      <div role="status">
        {hidden > 0 && (
          <Notice look="warn">
            This text has {hidden === 1 ? "one invisible character" : `${hidden} invisible characters`}, which
            could tell a model what you do not see. If you pasted the text, look where it comes from.
          </Notice>
        )}
      </div>
    </div>
  );
}
