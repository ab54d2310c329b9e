import type { Row } from "@/live/rows/rows";
import type { ChatView } from "@/live/view/view";

/** The agent is at work, and nothing else on screen shows it, or not all of it. */
export function Thinking({ view, rows }: { view: ChatView; rows: readonly Row[] }) {
  if (view.status !== "running" || view.retry !== null) return null;
  if (isShown(view, rows) && !view.paused && !view.preview.cut) return null;
  return (
    <p role="status" className="flex items-center gap-2 py-2 text-sm text-muted">
      <span aria-hidden className="flex gap-1">
        {["", "[animation-delay:150ms]", "[animation-delay:300ms]"].map((delay) => (
          <span key={delay} className={`size-1.5 animate-pulse rounded-full bg-current ${delay}`} />
        ))}
      </span>
      {wordsOf(view)}
    </p>
  );
}

function wordsOf({ heldUp, paused, preview }: ChatView): string {
  if (preview.cut) return "The reply is long: the rest is shown when it is saved";
  if (paused) return "The agent goes on, but its words come late: servers cannot reach one another";
  if (heldUp?.reason === "slot") return "Waiting for its turn: many chats are at work on this server";
  if (heldUp?.reason === "provider") return `Waiting for ${heldUp.provider ?? "the model"} to answer`;
  return "Thinking";
}

/** Words that come, or a card that runs. */
function isShown(view: ChatView, rows: readonly Row[]): boolean {
  if (view.preview.said.length > 0) return true;
  const last = rows.at(-1);
  return last?.blocks.some((block) => block.type === "call" && block.call.progress === "running") ?? false;
}
