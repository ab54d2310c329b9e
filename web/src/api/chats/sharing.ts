/** With whom a chat is shared. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Grant = Schemas["GrantView"];
export type GrantKind = Schemas["GrantKind"];
export type GrantRole = Schemas["GrantRole"];

/** The server looks for names from this length on. */
export const FIND_LENGTH_MIN = 2;

const grants = (chatId: string) => ["grants", chatId];

export const useGrants = (chatId: string) =>
  useQuery({
    queryKey: grants(chatId),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/chats/{chat_id}/grants", { params: { path: { chat_id: chatId } }, signal })),
  });

export interface Subject {
  kind: GrantKind;
  id: string;
  name: string;
}

/** People and groups whose names have this in them. */
export const useFind = (text: string) =>
  useQuery({
    queryKey: ["find", text],
    enabled: text.length >= FIND_LENGTH_MIN,
    queryFn: async ({ signal }): Promise<readonly Subject[]> => {
      const params = { params: { query: { find: text } }, signal };
      const [users, groups] = await Promise.all([
        answer(api.GET("/api/v1/users", params)),
        answer(api.GET("/api/v1/groups", params)),
      ]);
      return [
        ...(groups.names ?? []).map(({ id, name }) => ({ kind: "group" as const, id, name })),
        ...(users.names ?? []).map(({ id, name, display_name }) => ({
          kind: "user" as const,
          id,
          name: display_name || name,
        })),
      ];
    },
  });

interface Wanted {
  kind: GrantKind;
  subject: string;
  /** Null: share it no more. */
  role: GrantRole | null;
  /** When it ends by itself; null: never. */
  expiresAt?: string | null;
}

export function useShare(chatId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, subject, role, expiresAt = null }: Wanted): Promise<unknown> => {
      const params = { params: { path: { chat_id: chatId, kind, subject } } };
      const path = "/api/v1/chats/{chat_id}/grants/{kind}/{subject}";
      return role === null
        ? answer(api.DELETE(path, params))
        : answer(api.PUT(path, { ...params, body: { role, expires_at: expiresAt } }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: grants(chatId) }),
  });
}

/** Give up what one was granted oneself. What a group or everyone was granted is not one's own to give up. */
export async function leaveChat(chatId: string): Promise<void> {
  const path = { chat_id: chatId };
  const own = await answer(api.GET("/api/v1/chats/{chat_id}/grants", { params: { path } }));
  if (own.grants.length === 0) {
    throw new Error("It is shared with a group of yours or with everyone: only its owner can end that.");
  }
  for (const { kind, subject_id: subject } of own.grants) {
    const params = { path: { ...path, kind, subject } };
    await answer(api.DELETE("/api/v1/chats/{chat_id}/grants/{kind}/{subject}", { params }));
  }
}
