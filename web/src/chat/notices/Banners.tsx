import { ArchiveRestore, Eye, Hand, Square, WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { Deeds } from "@/api/accounts/permits";
import { patchChat, useChatDetails } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { visible } from "@/lib/text/visible";
import { type LiveChat, storeOf } from "@/live/store";
import { childrenOf, connectionOf, detailsOf, statusOf, useOfChat } from "@/live/useChat";
import type { ReadOnly } from "@/live/useReadOnly";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { stop } from "../stop";

/** A connection that comes back sooner was not worth a word. */
const GRACE_MS = 1500;

/** What counts for the whole chat: the connection is lost, an agent of it needs somebody, it can only be read. */
export function Banners({ chatId, readOnly, deeds }: { chatId: string; readOnly: ReadOnly; deeds: Deeds }) {
  const connection = useOfChat(chatId, connectionOf);
  const details = useOfChat(chatId, detailsOf);
  return (
    <>
      <Lost chatId={chatId} connection={connection} />
      <WaitingAgents chatId={chatId} />
      <WhoseItIs chatId={chatId} isReadOnly={readOnly === "not permitted"} mayStop={deeds.has("chat.stop")} />
      {details?.archived && (
        <div className="mb-2 flex items-center gap-3 rounded-lg bg-sunken px-4 py-2 text-sm">
          <span className="flex-1">This chat is archived.</span>
          {deeds.has("chat.archive") && (
            <Button size="small" onClick={() => void patchChat(chatId, { archived: false }).catch(tell)}>
              <ArchiveRestore aria-hidden size={14} /> Take it out
            </Button>
          )}
        </div>
      )}
    </>
  );
}

const AT_WORK: ReadonlySet<string> = new Set(["running", "interrupting", "requires_action"]);

const tell = (error: unknown) => toast({ text: sentence(error), bad: true });

interface WhoseItIsProps {
  chatId: string;
  isReadOnly: boolean;
  mayStop: boolean;
}

/** Whose chat it is, and what that means for who looks at it. */
function WhoseItIs({ chatId, isReadOnly, mayStop }: WhoseItIsProps) {
  const { data: chat } = useChatDetails(chatId);
  const status = useOfChat(chatId, statusOf);
  const isOwn = chat?.access === "owner";
  if (chat === undefined || (isOwn && !isReadOnly)) return null;
  const owner = visible(chat.owner.display_name || chat.owner.name) || "another user";
  return (
    <div className="mb-2 flex items-center gap-3 rounded-lg bg-sunken px-4 py-2 text-sm">
      <Eye aria-hidden size={15} className="shrink-0 text-muted" />
      <p className="flex-1">
        {isOwn ? "This is a chat of yours." : `This is a chat of ${owner}.`}{" "}
        {isReadOnly
          ? "You can read it, and not speak in it."
          : "What you have its agent do, the owner pays for; and the owner’s keys, tools and workspace act."}
      </p>
      {/* Who speaks in it has a button where they write. */}
      {isReadOnly && mayStop && AT_WORK.has(status ?? "") && (
        <Button size="small" onClick={() => void stop(chatId).catch(tell)}>
          <Square aria-hidden size={12} /> Stop the agent
        </Button>
      )}
    </div>
  );
}

/** What they ask is answered in their own chats. */
function WaitingAgents({ chatId }: { chatId: string }) {
  const waiting = useOfChat(chatId, childrenOf)?.waiting ?? [];
  if (waiting.length === 0) return null;
  return (
    <div role="status" className="mb-2 flex items-center gap-3 rounded-lg bg-warn-soft px-4 py-2 text-sm">
      <Hand aria-hidden size={15} className="shrink-0 text-warn" />
      <ul className="flex min-w-0 flex-1 flex-col gap-0.5">
        {waiting.map((agent) => (
          <li key={agent.chat_id} className="truncate">
            <Link href={`/chats/${agent.chat_id}`} className="font-medium underline">
              {visible(agent.title || "An agent")}
            </Link>{" "}
            works for this chat, and needs you.
          </li>
        ))}
      </ul>
    </div>
  );
}

function Lost({ chatId, connection }: { chatId: string; connection: LiveChat["connection"] }) {
  const now = useNow(connection.state === "waiting");
  if (connection.state !== "waiting" || now - connection.since < GRACE_MS) return null;
  const seconds = Math.max(0, Math.ceil((connection.at - now) / 1000));
  return (
    <div role="status" className="mb-2 flex items-center gap-3 rounded-lg bg-warn-soft px-4 py-2 text-sm">
      <WifiOff aria-hidden size={15} className="text-warn" />
      <span className="flex-1">
        Connection lost. {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again…"} What was said is
        safe.
      </span>
      <Button size="small" onClick={() => storeOf(chatId).tryAgain()}>
        Try now
      </Button>
    </div>
  );
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
