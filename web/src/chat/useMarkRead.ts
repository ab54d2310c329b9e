import { useEffect } from "react";
import { markChat } from "@/api/chats/marks";
import type { Message } from "@/api/types";

const PAUSE_MS = 600;
/** What this browser has said already, by chat: it is said once. */
const said = new Map<string, number>();

/** Tells the server what was shown, while somebody looks. */
export function useMarkRead(chatId: string, messages: readonly Message[], isKept: boolean): void {
  const newest = messages.at(-1)?.id ?? 0;
  useEffect(() => {
    if (!isKept || newest === 0 || (said.get(chatId) ?? 0) >= newest) return;
    function mark(): void {
      if (document.visibilityState !== "visible") return;
      said.set(chatId, newest);
      // Should it fail, the next message says it too.
      markChat(chatId, { read_id: newest }).catch(() => said.delete(chatId));
    }
    const timer = setTimeout(mark, PAUSE_MS);
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [chatId, newest, isKept]);
}
