import { lazy, useCallback } from "react";
import { useLocation } from "wouter";
import { useChatPermits } from "@/api/accounts/permits";
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
  const { data: chat } = useChatDetails(chatId);
  const kin = chat?.parent_chat_id ? "child" : "root";
  // Until it is known whose it is, it is taken for nobody's.
  const access = chat?.access ?? "admin";
  const deeds = useChatPermits({ id: chatId, access }, chat !== undefined);
  const { itemsFor, dialogs } = useChatActions(useCallback(() => navigate("/"), [navigate]));
  return (
    <>
      <ChatPage
        chatId={chatId}
        items={(details) =>
          chat === undefined
            ? []
            : itemsFor(
                {
                  ...chat,
                  ...details,
                  // Only owners are told theirs live.
                  pin_order: access === "owner" ? details.pin_order : chat.pin_order,
                  status: status ?? "waiting",
                  children,
                },
                kin,
                deeds,
              )
        }
        panel={(close) => <RightPanel chatId={chatId} onClose={close} />}
      />
      {dialogs}
    </>
  );
}
