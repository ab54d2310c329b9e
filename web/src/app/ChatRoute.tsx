import { lazy, useCallback } from "react";
import { useLocation } from "wouter";
import { ChatPage } from "@/chat/ChatPage";
import { useChatActions } from "@/chats/useChatActions";
import { statusOf, useOfChat } from "@/live/useChat";

const RightPanel = lazy(() => import("@/panel/RightPanel"));

/** A chat with what other features put beside it: its menu, and the details at its right. */
export function ChatRoute({ chatId }: { chatId: string }) {
  const [, navigate] = useLocation();
  const status = useOfChat(chatId, statusOf);
  const { itemsFor, dialogs } = useChatActions(useCallback(() => navigate("/"), [navigate]));
  return (
    <>
      <ChatPage
        chatId={chatId}
        items={(details) => itemsFor({ ...details, id: chatId, status: status ?? "waiting" })}
        panel={(close) => <RightPanel chatId={chatId} onClose={close} />}
      />
      {dialogs}
    </>
  );
}
