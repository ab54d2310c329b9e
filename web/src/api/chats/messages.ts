import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];

const at = (chatId: string) => ({ params: { path: { chat_id: chatId } } });

export function sendMessage(chatId: string, body: Schemas["SendMessage"]): Promise<Schemas["Sent"]> {
  return answer(api.POST("/api/v1/chats/{chat_id}/messages", { ...at(chatId), body }));
}

export function editMessage(
  chatId: string,
  messageId: number,
  body: Schemas["EditMessage"],
): Promise<Schemas["Edited"]> {
  const params = { path: { chat_id: chatId, message_id: messageId } };
  return answer(api.PATCH("/api/v1/chats/{chat_id}/messages/{message_id}", { params, body }));
}

/** Answers some of what the chat waits for. */
export function submitActions(chatId: string, body: Schemas["SubmitActions"]): Promise<unknown> {
  return answer(api.POST("/api/v1/chats/{chat_id}/actions", { ...at(chatId), body }));
}

export function interrupt(chatId: string): Promise<unknown> {
  return answer(api.POST("/api/v1/chats/{chat_id}/interrupt", at(chatId)));
}

export function retryTurn(chatId: string): Promise<unknown> {
  return answer(api.POST("/api/v1/chats/{chat_id}/retry", at(chatId)));
}

export function compact(chatId: string): Promise<unknown> {
  return answer(api.POST("/api/v1/chats/{chat_id}/compact", at(chatId)));
}

export async function removeQueued(chatId: string, queuedId: number): Promise<void> {
  const params = { path: { chat_id: chatId, queued_id: queuedId } };
  await api.DELETE("/api/v1/chats/{chat_id}/queue/{queued_id}", { params });
}

export function promoteQueued(chatId: string, queuedId: number): Promise<unknown> {
  const params = { path: { chat_id: chatId, queued_id: queuedId } };
  return answer(api.POST("/api/v1/chats/{chat_id}/queue/{queued_id}/promote", { params }));
}

/** What has left the queue meanwhile is passed over. */
export function reorderQueue(chatId: string, queuedIds: readonly number[]): Promise<unknown> {
  const body = { queued_ids: [...queuedIds] };
  return answer(api.PUT("/api/v1/chats/{chat_id}/queue", { ...at(chatId), body }));
}

export function useBranches(chatId: string, count: number) {
  return useQuery({
    // Another number of them means that there is something new to read.
    queryKey: ["branches", chatId, count],
    enabled: count > 1,
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/chats/{chat_id}/branches", { ...at(chatId), signal }))).branches,
  });
}

export function switchBranch(chatId: string, branch: number): Promise<unknown> {
  const params = { path: { chat_id: chatId, branch } };
  return answer(api.POST("/api/v1/chats/{chat_id}/branches/{branch}/switch", { params }));
}

/** What the user said before, newest first. */
export function usePrompts(chatId: string | null) {
  return useQuery({
    queryKey: ["prompts", chatId],
    enabled: chatId !== null,
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/chats/{chat_id}/prompts", { ...at(chatId ?? ""), signal }))).prompts,
  });
}
