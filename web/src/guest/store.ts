import { type ApiError, UNREACHABLE } from "@/api/errors";
import { oncePerFrame } from "@/live/frames";
import { type Connection, follow, type Verdict } from "@/live/socket";
import { type Asking, type GuestChat, isGone } from "./asking";
import { type GuestEvent, type GuestView, NOTHING_YET, reduce, withOlder } from "./view";

/** What a guest has of a chat. Replaced as a whole, at most once in a frame. */
export interface Guest {
  /** Null until the server has told. */
  chat: GuestChat | null;
  view: GuestView;
  connection: Connection;
  /** There is no such link, or it has ended. */
  gone: boolean;
  failed: ApiError | null;
  older: "idle" | "loading" | "failed";
}

const NOBODY: Guest = {
  chat: null,
  view: NOTHING_YET,
  connection: { state: "connecting" },
  gone: false,
  failed: null,
  older: "idle",
};

export class GuestStore {
  private guest = NOBODY;
  private readonly asking: Asking;
  private readonly listeners = new Set<() => void>();
  private pending: GuestEvent[] = [];
  /** Each connection tells everything anew: what was there stays on screen until the first of it comes. */
  private isAnew = false;
  private isWatched = false;
  private leave: (() => void) | null = null;
  private readonly flushSoon = oncePerFrame(() => this.flush());

  constructor(asking: Asking) {
    this.asking = asking;
  }

  readonly snapshot = (): Guest => this.guest;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Until the answer is called. */
  readonly open = (): (() => void) => {
    this.isWatched = true;
    void this.begin();
    return () => {
      this.isWatched = false;
      this.leave?.();
      this.leave = null;
    };
  };

  readonly tryAgain = (): void => {
    this.set({ failed: null });
    void this.begin();
  };

  private async begin(): Promise<void> {
    try {
      const chat = await this.asking.chat();
      if (chat.live) {
        this.set({ chat });
        // Whoever left while the server was asked is not followed.
        if (this.isWatched) this.leave ??= this.connect();
      } else {
        const page = await this.asking.messages(null);
        const view = withOlder({ ...NOTHING_YET, title: chat.title }, page.messages, page.next ?? null);
        this.set({ chat, view, connection: { state: "ended" } });
      }
    } catch (error) {
      this.fail(error);
    }
  }

  readonly loadOlder = async (): Promise<void> => {
    const { before } = this.guest.view;
    if (before === null || this.guest.older === "loading") return;
    this.set({ older: "loading" });
    try {
      const page = await this.asking.messages(before);
      // Everything was told anew meanwhile: then it is not the page before what is there.
      const isStill = this.guest.view.before === before;
      const view = isStill ? withOlder(this.guest.view, page.messages, page.next ?? null) : this.guest.view;
      this.set({ view, older: "idle" });
    } catch (error) {
      if (isGone(error)) this.fail(error);
      else this.set({ older: "failed" });
    }
  };

  private connect(): () => void {
    return follow<GuestEvent>({
      path: "api/v1/public/stream",
      offered: `chatd.guest.${this.asking.code}`,
      cursor: () => null,
      onEvents: (events) => {
        this.pending.push(...events);
        this.flushSoon();
      },
      onConnection: (connection) => {
        if (connection.state === "open") this.isAnew = true;
        this.set({ connection });
      },
      whyRefused: () => this.whyRefused(),
    });
  }

  private async whyRefused(): Promise<Verdict> {
    try {
      await this.asking.chat();
      return "again";
    } catch (error) {
      if (!isGone(error)) return "again";
      this.fail(error);
      return "never";
    }
  }

  private flush(): void {
    const events = this.pending;
    this.pending = [];
    const begun = this.isAnew ? { ...NOTHING_YET, title: this.guest.view.title } : this.guest.view;
    this.isAnew = false;
    const view = events.reduce(reduce, begun);
    this.set(view.ended ? { view, gone: true } : { view });
    if (view.ended) this.leave?.();
  }

  private fail(error: unknown): void {
    if (isGone(error)) this.set({ gone: true, view: NOTHING_YET });
    else this.set({ failed: (error as ApiError | undefined) ?? UNREACHABLE });
  }

  private set(change: Partial<Guest>): void {
    this.guest = { ...this.guest, ...change };
    for (const listener of this.listeners) listener();
  }
}
