import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";

/** Files of a chat's workspace whose path has these letters; null: none are asked for. */
export function useWorkspaceFiles(chatId: string | null, text: string | null) {
  return useQuery({
    queryKey: ["workspace-files", chatId, text],
    enabled: chatId !== null && text !== null,
    queryFn: async ({ signal }) => {
      const params = { path: { chat_id: chatId ?? "" }, query: { q: text ?? "" } };
      return (await answer(api.GET("/api/v1/chats/{chat_id}/workspace/files", { params, signal }))).files;
    },
    placeholderData: (before) => before,
  });
}
