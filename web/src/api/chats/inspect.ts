/** What is known of a chat beside what was said in it: sizes, costs, the prompt, and records. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type SystemPrompt = Schemas["SystemPromptView"];
export type ChatContext = Schemas["ContextView"];
export type DebugRun = Schemas["DebugRunView"];
export type DebugStep = NonNullable<DebugRun["steps"]>[number];

export const inspectKey = (chatId: string) => ["inspect", chatId];
const of = (chatId: string) => ({ params: { path: { chat_id: chatId } } });

export const useChatTotals = (chatId: string) =>
  useQuery({
    queryKey: [...inspectKey(chatId), "totals"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/chats/{chat_id}", { ...of(chatId), signal })),
  });

export const useChildTotals = (chatId: string) =>
  useQuery({
    queryKey: [...inspectKey(chatId), "children"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/chats/{chat_id}/children", { ...of(chatId), signal })),
  });

export const usePrompt = (chatId: string) =>
  useQuery({
    queryKey: [...inspectKey(chatId), "prompt"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/chats/{chat_id}/prompt", { ...of(chatId), signal })),
  });

/** Null: no chat is meant. */
export const useContext = (chatId: string | null) =>
  useQuery({
    queryKey: [...inspectKey(chatId ?? ""), "context"],
    enabled: chatId !== null,
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/chats/{chat_id}/context", { ...of(chatId ?? ""), signal })),
  });

export const useRefreshContext = (chatId: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.PUT("/api/v1/chats/{chat_id}/context", of(chatId))),
    onSuccess: () => client.invalidateQueries({ queryKey: inspectKey(chatId) }),
  });
};

export const useDebugRuns = (chatId: string) =>
  useQuery({
    queryKey: [...inspectKey(chatId), "runs"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/chats/{chat_id}/debug/runs", { ...of(chatId), signal })),
  });

export const useDebugRun = (chatId: string, runId: string) =>
  useQuery({
    queryKey: [...inspectKey(chatId), "runs", runId],
    queryFn: ({ signal }) => readDebugRun(chatId, runId, signal),
  });

export const readDebugRun = (chatId: string, runId: string, signal?: AbortSignal): Promise<DebugRun> =>
  answer(
    api.GET("/api/v1/chats/{chat_id}/debug/runs/{run_id}", {
      params: { path: { chat_id: chatId, run_id: runId } },
      ...(signal && { signal }),
    }),
  );
