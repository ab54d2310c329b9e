import { lazy, useCallback } from "react";
import { useLocation } from "wouter";
import { useChatDetails } from "@/api/chats/chats";
import type { Children } from "@/api/types";
import { ChatPage } from "@/chat/ChatPage";
import { useChatActions } from "@/chats/useChatActions";
import { childrenOf, statusOf, useOfChat } from "@/live/useChat";

const RightPanel = lazy(() => import("@/panel/RightPanel"));

const NO_CHILDREN: Children = { count: 0, at_work: 0, waiting: [] };

/** A chat with what other features put beside it: its menu, and the details at its right. */
export function ChatRoute({ chatId }: { chatId: string }) {
  const [, navigate] = useLocation();
  const status = useOfChat(chatId, statusOf);
  const children = useOfChat(chatId, childrenOf) ?? NO_CHILDREN;
  const kin = useChatDetails(chatId).data?.parent_chat_id ? "child" : "root";
  const { itemsFor, dialogs } = useChatActions(useCallback(() => navigate("/"), [navigate]));
  return (
    <>
      <ChatPage
        chatId={chatId}
        items={(details) => itemsFor({ ...details, id: chatId, status: status ?? "waiting", children }, kin)}
        panel={(close) => <RightPanel chatId={chatId} onClose={close} />}
      />
      {dialogs}
    </>
  );
}
