import { useQuery } from "@tanstack/react-query";
import { ROOT } from "@/lib/base";
import { errorOf } from "./errors";

/** Files of a chat's workspace whose path has these letters; null: none are asked for. */
export function useWorkspaceFiles(chatId: string | null, text: string | null) {
  return useQuery({
    queryKey: ["workspace-files", chatId, text],
    enabled: chatId !== null && text !== null,
    queryFn: async ({ signal }) => {
      const address = new URL(`api/v1/chats/${encodeURIComponent(chatId ?? "")}/workspace/files`, ROOT);
      address.searchParams.set("q", text ?? "");
      const response = await fetch(address, { signal });
      if (!response.ok) throw await errorOf(response);
      return ((await response.json()) as { files: string[] }).files;
    },
    placeholderData: (before) => before,
  });
}
