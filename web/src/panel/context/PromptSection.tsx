import type { SystemPrompt } from "@/api/chats/inspect";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";

/** Parts of the prompt with their sizes; each opens. */
export function PromptSection({ prompt }: { prompt: SystemPrompt }) {
  const whole = prompt.tokens + prompt.history_tokens;
  const tools = prompt.tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line text-sm">
        {prompt.parts.map((part) => (
          <li key={part.name}>
            <Opened title={part.name.replaceAll("_", " ")} tokens={part.tokens} whole={whole}>
              <pre className="max-h-72 overflow-auto bg-sunken p-3 font-mono text-xs whitespace-pre-wrap">
                {part.withheld ? "Administrators keep this part to themselves." : visible(part.text)}
              </pre>
            </Opened>
          </li>
        ))}
        {prompt.tools.length > 0 && (
          <li>
            <Opened title={plural(prompt.tools.length, "tool")} tokens={tools} whole={whole}>
              <ul className="max-h-72 overflow-auto bg-sunken p-3 text-xs">
                {prompt.tools.map((tool) => (
                  <li key={tool.name} className="flex justify-between gap-3 py-0.5">
                    <code className="break-all">{tool.name}</code>
                    <span className="text-muted tabular-nums">{tool.tokens.toLocaleString()}</span>
                  </li>
                ))}
              </ul>
            </Opened>
          </li>
        )}
        <li className="flex justify-between gap-3 px-3 py-2">
          What was said in the chat
          <span className="text-muted tabular-nums">{prompt.history_tokens.toLocaleString()}</span>
        </li>
      </ul>
      <p className="text-xs text-muted">
        About {whole.toLocaleString()} tokens for {prompt.model}, estimated from the text.
      </p>
    </>
  );
}

interface OpenedProps {
  title: string;
  tokens: number;
  whole: number;
  children: React.ReactNode;
}

function Opened({ title, tokens, whole, children }: OpenedProps) {
  const share = whole > 0 ? Math.round((100 * tokens) / whole) : 0;
  return (
    <details>
      <summary className="flex cursor-pointer justify-between gap-3 px-3 py-2 hover:bg-hover">
        <span className="min-w-0 break-words first-letter:uppercase">{title}</span>
        <span className="shrink-0 text-muted tabular-nums">
          {tokens.toLocaleString()} · {share} %
        </span>
      </summary>
      {children}
    </details>
  );
}
