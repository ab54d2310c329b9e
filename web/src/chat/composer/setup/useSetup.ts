import { useEffect } from "react";
import { patchChat, useChatDetails } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { queries } from "@/api/queries";
import type { Chat, Status } from "@/api/types";
import { toast } from "@/ui/overlay/Toast";
import type { Chosen } from "./mcp";

/** What a chat is set up with. A change counts from the agent's next step on; planning ends with an accepted plan. */
export function useSetup(chatId: string, status: Status | null) {
  const { data } = useChatDetails(chatId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream does not tell of it, but of what changes it
  useEffect(() => void queries.invalidateQueries({ queryKey: ["chats", "one", chatId] }), [chatId, status]);
  /** Shown at once; what is refused is as it was before. */
  async function change(body: Pick<Chat, "mode" | "mcp_servers">): Promise<void> {
    const key = ["chats", "one", chatId];
    queries.setQueryData<Chat>(key, (chat) => chat && { ...chat, ...body });
    try {
      queries.setQueryData(key, await patchChat(chatId, body));
    } catch (error) {
      toast({ text: sentence(error), bad: true });
      void queries.invalidateQueries({ queryKey: key });
    }
  }
  const isPlanning = data?.mode === "plan";
  return {
    isPlanning,
    togglePlanning: () => void change({ mode: isPlanning ? null : "plan" }),
    mcpServers: data?.mcp_servers ?? null,
    chooseMcpServers: (chosen: Chosen) => void change({ mcp_servers: chosen === null ? null : [...chosen] }),
  };
}
