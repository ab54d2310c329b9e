import { useState } from "react";
import { compact } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import type { Message } from "@/api/types";
import { Button } from "@/ui/Button";
import { Popover } from "@/ui/overlay/Popover";
import { toast } from "@/ui/overlay/Toast";

const RADIUS = 6;
const AROUND = 2 * Math.PI * RADIUS;
const FULL = 0.8;

/** How much of what a model can read is used, from its last answer. Not every provider counts the whole. */
export function contextOf(messages: readonly Message[]): { used: number; limit: number } | null {
  const usage = messages.findLast((each) => each.role === "assistant" && each.usage)?.usage;
  if (!usage?.context_limit) return null;
  const { input_tokens = 0, cache_read_tokens = 0, cache_creation_tokens = 0, output_tokens = 0 } = usage;
  const counted = input_tokens + cache_read_tokens + cache_creation_tokens + output_tokens;
  const used = usage.context_tokens || counted;
  return used > 0 ? { used, limit: usage.context_limit } : null;
}

export function ContextRing({ chatId, messages }: { chatId: string; messages: readonly Message[] }) {
  const [busy, setBusy] = useState(false);
  const context = contextOf(messages);
  if (context === null) return null;
  const part = Math.min(1, context.used / context.limit);
  const percent = Math.round(part * 100);

  async function sumUp(): Promise<void> {
    setBusy(true);
    try {
      await compact(chatId);
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Popover
      label="Context"
      side="top"
      align="end"
      className="w-64 text-sm"
      trigger={
        <button
          type="button"
          aria-label={`Context: ${percent} percent used`}
          className="flex size-8 items-center justify-center rounded-md hover:bg-hover"
        >
          <svg
            aria-hidden="true"
            viewBox="0 0 16 16"
            className={`size-4 -rotate-90 ${part > FULL ? "text-warn" : "text-muted"}`}
          >
            <circle cx="8" cy="8" r={RADIUS} fill="none" stroke="var(--line)" strokeWidth="2.5" />
            <circle
              cx="8"
              cy="8"
              r={RADIUS}
              fill="none"
              stroke="currentColor"
              strokeWidth="2.5"
              strokeDasharray={`${part * AROUND} ${AROUND}`}
            />
          </svg>
        </button>
      }
    >
      <p className="font-medium">{percent} % of the context is used</p>
      <p className="mt-1 text-muted">
        {context.used.toLocaleString()} of {context.limit.toLocaleString()} tokens. Before it is full, the
        chat is summed up by itself.
      </p>
      <Button size="small" className="mt-2" busy={busy} onClick={() => void sumUp()}>
        Sum it up now
      </Button>
    </Popover>
  );
}
