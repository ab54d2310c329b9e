import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useOwnSettings } from "@/api/catalog/settings";
import { changesKey } from "@/api/chats/changes";
import { inspectKey } from "@/api/chats/inspect";
import { onInspect, useInspected } from "@/lib/inspected";
import { useChat } from "@/live/useChat";
import { useDeeds } from "@/live/useDeeds";
import { IconButton } from "@/ui/IconButton";
import { type Tab, Tabs } from "@/ui/Tabs";
import { ChangesTab } from "./changes/ChangesTab";
import { ContextTab } from "./context/ContextTab";
import { DebugTab } from "./debug/DebugTab";
import { MessageTab } from "./message/MessageTab";
import { rememberedTab, rememberTab, shownTab } from "./remembered";

interface RightPanelProps {
  chatId: string;
  onClose: () => void;
}

/** Beside a chat: files and changes of its workspace, context and cost, a message in detail, records. */
export default function RightPanel({ chatId, onClose }: RightPanelProps) {
  useNews(chatId);
  const [wanted, choose] = useTab(chatId);
  const tabs = useTabs(chatId);
  const [first, ...others] = tabs.map((tab) => tab.id);
  return (
    <aside aria-label="Details" className="flex h-full min-h-0 flex-col bg-page">
      <Tabs
        key={chatId}
        label="Details of the chat"
        tabs={tabs}
        value={shownTab(wanted, [first ?? "changes", ...others])}
        onChange={choose}
        actions={<IconButton icon={X} size="small" label="Close the details" onClick={onClose} />}
        className="flex-1"
      />
    </aside>
  );
}

function useTabs(chatId: string): Tab[] {
  const settings = useOwnSettings().data;
  const mayInspect = useDeeds(chatId).has("chat.inspect");
  const mayRecord = settings?.debug_records_forced || settings?.debug_records_allowed;
  const tabs: Tab[] = [{ id: "message", label: "Message", content: <MessageTab chatId={chatId} /> }];
  // Those with whom a chat is shared see what is said in it, and no more.
  if (!mayInspect) return tabs;
  tabs.unshift(
    { id: "changes", label: "Changes", content: <ChangesTab chatId={chatId} /> },
    { id: "context", label: "Context", content: <ContextTab chatId={chatId} /> },
  );
  if (mayRecord) tabs.push({ id: "debug", label: "Debug", content: <DebugTab chatId={chatId} /> });
  return tabs;
}

/** The tab of this chat. A message that is to be looked at brings its own to the front. */
function useTab(chatId: string): [string | null, (tab: string) => void] {
  const inspected = useInspected(chatId);
  const [tab, setTab] = useState(() => ({
    chatId,
    id: inspected === null ? rememberedTab(chatId) : "message",
  }));
  if (tab.chatId !== chatId) setTab({ chatId, id: rememberedTab(chatId) });
  useEffect(() => onInspect(() => setTab((now) => ({ ...now, id: "message" }))), []);
  return [
    tab.id,
    (id) => {
      rememberTab(chatId, id);
      setTab({ chatId, id });
    },
  ];
}

/** What is shown here is asked for, not streamed: with each message and each change of status it is asked for anew. */
function useNews(chatId: string): void {
  const client = useQueryClient();
  const { status, messages } = useChat(chatId).view;
  const stamp = `${status} ${messages.at(-1)?.id}`;
  useEffect(() => {
    if (stamp === "") return;
    void client.invalidateQueries({ queryKey: changesKey(chatId) });
    void client.invalidateQueries({ queryKey: inspectKey(chatId) });
  }, [client, chatId, stamp]);
}
