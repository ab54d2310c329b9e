import { RefreshCw } from "lucide-react";
import { type ChatContext, useContext, usePrompt, useRefreshContext } from "@/api/chats/inspect";
import { sentence } from "@/api/errors";
import { useChat } from "@/live/useChat";
import { Button } from "@/ui/Button";
import { Asked } from "../Asked";
import { Part } from "../Part";
import { CostSection } from "./CostSection";
import { filledBy } from "./filled";
import { PromptSection } from "./PromptSection";

/** How full the model's context is, with what, and what the chat has cost. */
export function ContextTab({ chatId }: { chatId: string }) {
  return (
    <div className="flex flex-col gap-6 p-4">
      <Filled chatId={chatId} />
      <CostSection chatId={chatId} />
      <Part title="What the model is told first">
        <Asked query={usePrompt(chatId)} what="The prompt">
          {(prompt) => <PromptSection prompt={prompt} />}
        </Asked>
      </Part>
      <Asked query={useContext(chatId)} what="The files that are told">
        {(context) => (context.workspace === null ? null : <Files chatId={chatId} context={context} />)}
      </Asked>
    </div>
  );
}

function Filled({ chatId }: { chatId: string }) {
  const filled = filledBy(useChat(chatId).view.messages);
  return (
    <Part title="Context">
      {filled === null ? (
        <p className="text-sm text-muted">No model has answered yet, so nothing was counted.</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot be given our colours */}
          <div
            role="meter"
            aria-label="Context in use"
            aria-valuemin={0}
            aria-valuemax={filled.limit}
            aria-valuenow={Math.min(filled.tokens, filled.limit)}
            aria-valuetext={`${filled.percent} %`}
            className="h-2 overflow-hidden rounded-full bg-sunken"
          >
            <div
              className={filled.percent >= 90 ? "h-full bg-bad" : "h-full bg-accent"}
              style={{ width: `${Math.min(100, filled.percent)}%` }}
            />
          </div>
          <p className="text-sm text-muted tabular-nums">
            {filled.tokens.toLocaleString()} of {filled.limit.toLocaleString()} tokens, {filled.percent} %
            {filled.isEstimate && ", estimated"}
          </p>
        </>
      )}
    </Part>
  );
}

function Files({ chatId, context }: { chatId: string; context: ChatContext }) {
  const refresh = useRefreshContext(chatId);
  return (
    <Part
      title="Files the agent is told of"
      actions={
        <Button size="small" busy={refresh.isPending} onClick={() => refresh.mutate()}>
          {!refresh.isPending && <RefreshCw aria-hidden size={14} />} Read again
        </Button>
      }
    >
      <p className="text-xs break-all text-muted">{context.workspace}</p>
      {context.dirty_since && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          They have changed since the agent was told of them. Read them again to tell it.
        </p>
      )}
      {context.resources.length === 0 ? (
        <p className="text-sm text-muted">None: the workspace has no AGENTS.md and no skills.</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line text-sm">
          {context.resources.map((file) => (
            <li key={`${file.kind} ${file.source}`} className="px-3 py-2">
              <p className="flex justify-between gap-2">
                <span className="min-w-0 font-mono text-xs leading-5 break-all">{file.source}</span>
                <span className="shrink-0 text-xs leading-5 text-muted tabular-nums">
                  {file.size_bytes.toLocaleString()} bytes
                </span>
              </p>
              {file.error && <p className="text-xs text-warn">{file.error}</p>}
            </li>
          ))}
        </ul>
      )}
      {refresh.error && (
        <p role="alert" className="text-sm text-bad">
          {sentence(refresh.error)}
        </p>
      )}
    </Part>
  );
}
