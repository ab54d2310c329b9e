/** What the caller marks in a chat for themselves; nobody else sees it. */

import { answer, api } from "../client";
import { queries } from "../queries";
import type { components } from "../types.gen";
import { chatKey } from "./chats";

export type MarkChange = components["schemas"]["PutMarks"];

/** Above every message. */
export const ALL_READ = Number.MAX_SAFE_INTEGER;

export async function markChat(chatId: string, body: MarkChange): Promise<void> {
  const params = { params: { path: { chat_id: chatId } } };
  await answer(api.PUT("/api/v1/chats/{chat_id}/mark", { ...params, body }));
  // Lists are told by their stream.
  void queries.invalidateQueries({ queryKey: chatKey(chatId) });
}
