import { answer, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { ViewerEvent } from "@/api/types";
import { oncePerFrame } from "./frames";
import { type Sending, stillSending } from "./outbox";
import { type Connection, follow, type Verdict } from "./socket";
import { reconnected, reduceAll, withOlder } from "./view/reduce";
import { type ChatView, NEW_VIEW } from "./view/view";

/** Everything that is live of one chat. Replaced as a whole, at most once in a frame. */
export interface LiveChat {
  view: ChatView;
  connection: Connection;
  /** What this browser has sent and the stream has not told yet. */
  sending: readonly Sending[];
  /** Why the chat cannot be shown at all. */
  refused: ApiError | null;
  older: "idle" | "loading" | "failed";
}

/** Chats whose view is kept after they were left, so that going back is immediate. */
const KEPT_MAX = 8;
const PAGE = 100;

/** How long a chat that was left stays connected: going back and forth costs nothing. */
const LEAVE_MS = 5_000;

export class ChatStore {
  readonly chatId: string;
  private live: LiveChat = {
    view: NEW_VIEW,
    connection: { state: "connecting" },
    sending: [],
    refused: null,
    older: "idle",
  };
  private pending: ViewerEvent[] = [];
  private readonly listeners = new Set<() => void>();
  private stop: (() => void) | null = null;
  private leaving: ReturnType<typeof setTimeout> | undefined;
  /** Messages that the stream has deleted while a page of older ones was on its way. */
  private deleted: Set<number> | null = null;
  private readonly flushSoon = oncePerFrame(() => this.flush());

  constructor(chatId: string) {
    this.chatId = chatId;
  }

  readonly snapshot = (): LiveChat => this.live;

  /** Connects with the first listener, and leaves some seconds after the last. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    clearTimeout(this.leaving);
    this.stop ??= this.connect();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.leaving = setTimeout(() => this.leave(), LEAVE_MS);
    };
  };

  private connect(): () => void {
    return follow<ViewerEvent>({
      path: `api/v1/chats/${encodeURIComponent(this.chatId)}/stream`,
      cursor: () => this.pending.at(-1)?.cursor ?? this.live.view.cursor,
      onEvents: (events) => {
        this.pending.push(...events);
        this.flushSoon();
      },
      onConnection: (connection) => this.connected(connection),
      whyRefused: () => this.whyRefused(),
    });
  }

  private leave(): void {
    this.stop?.();
    this.stop = null;
  }

  /** The user wants to see it after a failure. */
  readonly tryAgain = (): void => {
    this.set({ refused: null });
    this.leave();
    this.stop = this.connect();
  };

  private flush(): void {
    const events = this.pending;
    this.pending = [];
    for (const event of events) if (event.type === "message_deleted") this.deleted?.add(event.message_id);
    const view = reduceAll(this.live.view, events);
    this.set({ view, sending: stillSending(this.live.sending, view) });
  }

  private connected(connection: Connection): void {
    const view = connection.state === "open" ? reconnected(this.live.view) : this.live.view;
    this.set({ connection, view, refused: connection.state === "open" ? null : this.live.refused });
  }

  private async whyRefused(): Promise<Verdict> {
    try {
      await answer(api.GET("/api/v1/chats/{chat_id}", { params: { path: { chat_id: this.chatId } } }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return "again";
      this.set({ refused: error });
      return "never";
    }
    // The chat is there, so it was the cursor: all of it is told anew, and replaces what is shown.
    if (this.live.view.cursor !== null) {
      this.set({ view: { ...this.live.view, cursor: null, replacement: NEW_VIEW } });
    }
    return "anew";
  }

  /** An older page of the history, if there is one and none is on its way. */
  readonly loadOlder = async (): Promise<void> => {
    const before = this.live.view.olderThan;
    if (before === null || this.live.older === "loading") return;
    this.set({ older: "loading" });
    this.deleted = new Set();
    try {
      const page = await answer(
        api.GET("/api/v1/chats/{chat_id}/messages", {
          params: { path: { chat_id: this.chatId }, query: { before_id: before, limit: PAGE } },
        }),
      );
      const { messages, has_more, participants } = page;
      const view = withOlder(this.live.view, messages, has_more, this.deleted, participants);
      this.set({ view, older: "idle" });
    } catch {
      this.set({ older: "failed" });
    } finally {
      this.deleted = null;
    }
  };

  readonly setSending = (change: (sending: readonly Sending[]) => readonly Sending[]): void => {
    this.set({ sending: stillSending(change(this.live.sending), this.live.view) });
  };

  private set(change: Partial<LiveChat>): void {
    this.live = { ...this.live, ...change };
    for (const listener of this.listeners) listener();
  }

  get isWatched(): boolean {
    return this.listeners.size > 0;
  }
}

const stores = new Map<string, ChatStore>();

/** The one store of a chat. The ones that were left longest ago are forgotten. */
export function storeOf(chatId: string): ChatStore {
  const store = stores.get(chatId) ?? new ChatStore(chatId);
  stores.delete(chatId);
  stores.set(chatId, store);
  for (const [id, old] of stores) {
    if (stores.size <= KEPT_MAX) break;
    if (!old.isWatched && id !== chatId) stores.delete(id);
  }
  return store;
}
