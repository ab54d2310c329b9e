import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Message } from "@/api/types";
import { inspect, useInspected } from "@/lib/inspected";
import { duration, moment } from "@/lib/time";
import { useAuthors } from "@/live/useAuthors";
import { useChat } from "@/live/useChat";
import { IconButton } from "@/ui/IconButton";
import { Nothing } from "../Asked";
import { money } from "../context/filled";
import { Facts } from "../Facts";
import { beginning, neighbours, usageFacts } from "./messages";

/** One message in detail: the one that was chosen in the transcript, else the newest of the agent. */
export function MessageTab({ chatId }: { chatId: string }) {
  const { messages } = useChat(chatId).view;
  const inspected = useInspected(chatId);
  const authors = useAuthors(chatId);
  const message =
    messages.find((each) => each.id === inspected) ?? messages.findLast((each) => each.role === "assistant");
  if (message === undefined) return <Nothing>The agent has said nothing yet.</Nothing>;
  const { previous, next } = neighbours(messages, message.id);
  const go = (to: number | null) => to !== null && inspect(chatId, to);
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex items-center gap-1">
        <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">{beginning(message)}</h2>
        <IconButton
          icon={ChevronLeft}
          size="small"
          label="Message before"
          disabled={previous === null}
          onClick={() => go(previous)}
        />
        <IconButton
          icon={ChevronRight}
          size="small"
          label="Message after"
          disabled={next === null}
          onClick={() => go(next)}
        />
      </div>
      <Details message={message} author={authors(message.created_by)} />
    </div>
  );
}

const ROLES: Readonly<Record<Message["role"], string>> = {
  user: "You",
  assistant: "Agent",
  tool: "Tools",
  system: "chatd",
};

function Details({ message, author }: { message: Message; author: string | null }) {
  const usage = usageFacts(message.usage ?? null);
  return (
    <>
      <Facts
        facts={[
          ["From", (message.role === "user" && author) || ROLES[message.role]],
          ["At", moment(message.created_at)],
          ["Model", message.model ?? null],
          ["Effort", message.reasoning_effort ?? null],
          ["Time until the first word", message.first_ms != null ? duration(message.first_ms) : null],
          ["Time in all", message.runtime_ms != null ? duration(message.runtime_ms) : null],
          ["Attempt", message.generation_attempt ?? null],
          ["Cost", message.cost_micros != null ? money(message.cost_micros) : null],
          ["Cut off", message.cut_off ? "at the limit of the model" : null],
          ["Number", message.id],
        ]}
      />
      {usage.length > 0 && (
        <section aria-label="Tokens" className="border-t border-line pt-4">
          <Facts facts={usage} />
        </section>
      )}
    </>
  );
}
