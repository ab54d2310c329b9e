import { usePrompt } from "@/api/chats/inspect";
import { useChat } from "@/live/useChat";
import { Asked } from "../Asked";
import { Part } from "../Part";
import { CostSection } from "./CostSection";
import { filledBy } from "./filled";
import { PromptSection } from "./PromptSection";
import { ToldFiles } from "./ToldFiles";

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
      <ToldFiles chatId={chatId} />
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
