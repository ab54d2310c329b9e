/** An agent that works for this chat: its name, how it is now, and the way to its own chat. */
import { ArrowUpRight } from "lucide-react";
import { Link } from "wouter";

import type { Status } from "@/api/types";
import { classes } from "@/lib/classes";
import { type Fields, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { Spinner } from "@/ui/Spinner";

import { useSurroundings } from "../actions";

export interface Agent {
  chatId: string;
  title: string;
  status: Status | null;
}

const STATUSES: Readonly<Record<Status, { text: string; look: string }>> = {
  running: { text: "working", look: "text-accent" },
  interrupting: { text: "stopping", look: "text-muted" },
  requires_action: { text: "needs you", look: "text-warn" },
  error: { text: "failed", look: "text-bad" },
  waiting: { text: "done", look: "text-muted" },
};

/** What a tool told of an agent; null: it told of none. */
export function agentIn(result: Fields): Agent | null {
  const chatId = textOf(result.chat_id);
  if (chatId === "") return null;
  const status = textOf(result.status);
  return {
    chatId,
    title: textOf(result.title),
    status: Object.hasOwn(STATUSES, status) ? (status as Status) : null,
  };
}

export function AgentLink({ agent }: { agent: Agent }) {
  const { children, chatHref } = useSurroundings();
  // As it is now, if that is known; else as it was when the tool told of it.
  const now = children[agent.chatId];
  const status = now?.status ?? agent.status;
  return (
    <Link
      href={chatHref(agent.chatId)}
      className="flex min-w-0 shrink items-center gap-2 rounded-md border border-line px-2.5 py-1 text-sm hover:bg-hover"
    >
      {status === "running" && <Spinner className="text-accent" />}
      <span className="truncate">{visible(now?.title || agent.title || "Agent")}</span>
      {status && (
        <span className={classes("shrink-0 text-xs", STATUSES[status].look)}>{STATUSES[status].text}</span>
      )}
      <ArrowUpRight aria-hidden size={13} className="shrink-0 text-muted" />
    </Link>
  );
}
