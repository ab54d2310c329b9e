/** Files of a chat's workspace: what was changed in them, and the way back. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Changes = Schemas["DiffView"];
export type ChangedFile = Schemas["ChangedFileView"];
export type Checkpoints = Schemas["CheckpointList"];
export type Restored = Schemas["RestoreView"];
export type Prompt = Schemas["PromptView"];

export const changesKey = (chatId: string) => ["changes", chatId];

export const useCheckpoints = (chatId: string) =>
  useQuery({
    queryKey: [...changesKey(chatId), "checkpoints"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/chats/{chat_id}/checkpoints", { params: { path: { chat_id: chatId } }, signal }),
      ),
  });

/** What users said, the newest first. */
export const usePrompts = (chatId: string, limit: number) =>
  useQuery({
    queryKey: [...changesKey(chatId), "prompts"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/chats/{chat_id}/prompts", {
          params: { path: { chat_id: chatId }, query: { limit } },
          signal,
        }),
      ),
  });

export interface Span {
  /** From before this message. */
  messageId: number;
  until: "next" | "now";
  /** Only of this file. */
  path?: string;
}

export const useChanges = (chatId: string, span: Span | null) =>
  useQuery({
    queryKey: [...changesKey(chatId), "diff", span],
    enabled: span !== null,
    queryFn: ({ signal }) => {
      const { messageId = 0, until = "next", path } = span ?? {};
      return answer(
        api.GET("/api/v1/chats/{chat_id}/messages/{message_id}/diff", {
          params: {
            path: { chat_id: chatId, message_id: messageId },
            query: { until, ...(path !== undefined && { path }) },
          },
          signal,
        }),
      );
    },
  });

export interface Restore {
  /** The message before which the files are brought back; null takes the last restore back. */
  messageId: number | null;
  /** Null: all files. */
  path: string | null;
}

/** What a restore would do; nothing is done. */
export const usePlannedRestore = (chatId: string, wanted: Restore) =>
  useQuery({
    queryKey: [...changesKey(chatId), "planned", wanted],
    queryFn: () => restore(chatId, wanted, true),
    // Files change without a word: always as they are now.
    gcTime: 0,
    staleTime: 0,
  });

export const useRestore = (chatId: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: Restore) => restore(chatId, wanted, false),
    onSettled: () => client.invalidateQueries({ queryKey: changesKey(chatId) }),
  });
};

function restore(chatId: string, { messageId, path }: Restore, dry_run: boolean): Promise<Restored> {
  const body = { dry_run };
  if (messageId === null)
    return answer(
      api.POST("/api/v1/chats/{chat_id}/restore/undo", { params: { path: { chat_id: chatId } }, body }),
    );
  return answer(
    api.POST("/api/v1/chats/{chat_id}/messages/{message_id}/restore", {
      params: { path: { chat_id: chatId, message_id: messageId } },
      body: { ...body, ...(path !== null && { path }) },
    }),
  );
}
