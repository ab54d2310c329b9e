import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";
import { queries } from "../queries";
import type { Chat, ListedChat } from "../types";
import type { components } from "../types.gen";

type Schemas = components["schemas"];

/** Which chats a list shows. */
export interface Filters {
  /** Those of others that were shared with the caller, instead of their own. */
  shared: boolean;
  archived: boolean;
  unread: boolean;
  /** `key:value`, all of which a chat has to have. */
  labels: readonly string[];
}

/** A chat in a list; from a search also where its words were found. */
export type RowChat = ListedChat & { found?: Schemas["FoundView"] };

export interface RowPage {
  chats: RowChat[];
  next: string | null;
}

const PAGE = 50;
const CHATS = "chats";

export const listKey = (filters: Filters) => [CHATS, "list", filters] as const;

export function useChatList(filters: Filters) {
  return useInfiniteQuery({
    queryKey: listKey(filters),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => listPage(filters, pageParam, signal),
    getNextPageParam: (page) => page.next,
    // The stream of the list tells what changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function listPage(filters: Filters, cursor: string | null, signal: AbortSignal): Promise<RowPage> {
  const query = {
    limit: PAGE,
    archived: filters.archived,
    ...(filters.shared && { source: "shared" as const }),
    ...(filters.unread && { unread: true }),
    ...(filters.labels.length > 0 && { label: [...filters.labels] }),
    ...(cursor !== null && { cursor }),
  };
  const page = await answer(api.GET("/api/v1/chats", { params: { query }, signal }));
  return { chats: page.chats.map(rowOf), next: page.next ?? null };
}

/** By what was said in them. An empty text finds nothing. */
export function useChatSearch(text: string) {
  const q = text.trim();
  return useQuery({
    queryKey: [CHATS, "search", q],
    enabled: q !== "",
    queryFn: async ({ signal }) => {
      const page = await answer(api.GET("/api/v1/chats", { params: { query: { q, limit: PAGE } }, signal }));
      return page.chats.map(rowOf);
    },
    placeholderData: (before) => before,
  });
}

export function rowOf(chat: Chat): RowChat {
  return {
    id: chat.id,
    title: chat.title,
    status: chat.status,
    archived: chat.archived,
    labels: chat.labels,
    owner: chat.owner,
    access: chat.access,
    shared: chat.shared,
    muted: chat.muted,
    pin_order: chat.pin_order,
    has_unread: chat.has_unread,
    last_model: chat.last_model,
    waiting_for: chat.waiting_for,
    children: chat.children ?? { count: 0, at_work: 0, waiting: [] },
    created_at: chat.created_at,
    updated_at: chat.updated_at,
    last_error: chat.last_error ?? undefined,
    last_turn_summary: chat.last_turn_summary ?? undefined,
    summary: chat.summary ?? undefined,
    found: chat.found,
  };
}

/** Something was told about a chat: every list that is on screen takes it up. */
export function tellLists(change: (pages: RowPage[], filters: Filters) => RowPage[]): void {
  for (const [key] of queries.getQueriesData<InfiniteData<RowPage>>({ queryKey: [CHATS, "list"] })) {
    const filters = key[2] as Filters;
    queries.setQueryData<InfiniteData<RowPage>>(
      key,
      (data) => data && { ...data, pages: change(data.pages, filters) },
    );
  }
}

/** A chat as the lists that were asked for know it. */
export function listedChat(chatId: string): RowChat | undefined {
  for (const [, data] of queries.getQueriesData<InfiniteData<RowPage>>({ queryKey: [CHATS, "list"] })) {
    for (const page of data?.pages ?? []) {
      const found = page.chats.find((each) => each.id === chatId);
      if (found) return found;
    }
  }
  return undefined;
}

/** Something may have been missed: whatever is on screen is asked for again. */
export function listAgain(): void {
  void queries.invalidateQueries({ queryKey: [CHATS, "list"] });
  void queries.invalidateQueries({ queryKey: [CHATS, "children"] });
}

export function childrenAgain(chatId: string): void {
  void queries.invalidateQueries({ queryKey: [CHATS, "children", chatId] });
}

export const chatKey = (chatId: string | null) => [CHATS, "one", chatId] as const;

/** Null: no chat is meant. */
export function useChatDetails(chatId: string | null) {
  return useQuery({
    queryKey: chatKey(chatId),
    enabled: chatId !== null,
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/chats/{chat_id}", { params: { path: { chat_id: chatId ?? "" } }, signal })),
  });
}

/** What the caller is to a chat now; null: it is in none of their lists. What is shown of it may be outdated. */
export function accessMoved(chatId: string, access: RowChat["access"] | null): void {
  const known = queries.getQueryData<Chat>(chatKey(chatId));
  if (known !== undefined && known.access !== access) {
    void queries.invalidateQueries({ queryKey: chatKey(chatId) });
  }
}

const CHILDREN_MS = 3_000;

/**
 * Streams tell when children begin, wait and end, and not what they are called or did: while the chat or one of
 * them works, they are asked for; and at once when another one was started (`count`), and when the work ends.
 */
export function useChildren(chatId: string, count: number, isActive: boolean) {
  return useQuery<Chat[]>({
    refetchInterval: ({ state }) => (isActive || state.data?.some(isAtWork) ? CHILDREN_MS : false),
    queryKey: [CHATS, "children", chatId, count, isActive],
    enabled: count > 0,
    placeholderData: (before) => before,
    queryFn: async ({ signal }) => {
      const list = await answer(
        api.GET("/api/v1/chats/{chat_id}/children", { params: { path: { chat_id: chatId } }, signal }),
      );
      return list.chats;
    },
  });
}

const isAtWork = ({ status }: Chat) => status !== "waiting" && status !== "error";

export function createChat(body: Schemas["CreateChat"]): Promise<Chat> {
  return answer(api.POST("/api/v1/chats", { body }));
}

export function patchChat(chatId: string, body: Schemas["PatchChat"]): Promise<Chat> {
  return answer(api.PATCH("/api/v1/chats/{chat_id}", { params: { path: { chat_id: chatId } }, body }));
}

export async function deleteChat(chatId: string): Promise<void> {
  await api.DELETE("/api/v1/chats/{chat_id}", { params: { path: { chat_id: chatId } } });
}

export async function proposeTitle(chatId: string): Promise<string> {
  const path = { chat_id: chatId };
  return (await answer(api.POST("/api/v1/chats/{chat_id}/title/propose", { params: { path } }))).title;
}
