import { ArchiveRestore, WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { patchChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { type LiveChat, storeOf } from "@/live/store";
import { connectionOf, detailsOf, useOfChat } from "@/live/useChat";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";

/** A connection that comes back sooner was not worth a word. */
const GRACE_MS = 1500;

/** What counts for the whole chat: it is archived, or the connection is lost. */
export function Banners({ chatId }: { chatId: string }) {
  const connection = useOfChat(chatId, connectionOf);
  const details = useOfChat(chatId, detailsOf);
  return (
    <>
      <Lost chatId={chatId} connection={connection} />
      {details?.archived && (
        <div className="mb-2 flex items-center gap-3 rounded-lg bg-sunken px-4 py-2 text-sm">
          <span className="flex-1">This chat is archived.</span>
          <Button
            size="small"
            onClick={() =>
              void patchChat(chatId, { archived: false }).catch((error) =>
                toast({ text: sentence(error), bad: true }),
              )
            }
          >
            <ArchiveRestore aria-hidden size={14} /> Take it out
          </Button>
        </div>
      )}
    </>
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
