import { useCallback } from "react";
import { useLocation } from "wouter";
import { listedChat, type RowChat } from "@/api/chats/chats";
import { chime, showNotice } from "@/lib/browser/notices";
import { preference } from "@/lib/kept/preferences";
import { newsOf } from "@/live/news";

/** Who looks at the chat, here or on another device, has it marked as read within this time. */
const LOOKED_AT_MS = 1_500;

/** Tells of a chat that has ended its turn, or waits, while nobody looks at it: as this browser's user likes it. */
export function useNews(): (before: RowChat | undefined, chat: RowChat) => void {
  const [, navigate] = useLocation();
  return useCallback(
    (before, chat) => {
      const news = newsOf(before, chat);
      // What others have their agents do is theirs.
      if (news === null || chat.muted || chat.access !== "owner") return;
      setTimeout(() => {
        const now = listedChat(chat.id);
        if (!now?.has_unread || now.status !== chat.status) return;
        if (preference("notice.sound") === "on") chime();
        if (preference("notice.system") === "on")
          showNotice({
            title: news.title,
            body: news.text,
            name: chat.id,
            onOpen: () => navigate(`/chats/${chat.id}`),
          });
      }, LOOKED_AT_MS);
    },
    [navigate],
  );
}
