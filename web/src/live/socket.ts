import { ROOT } from "@/lib/browser/base";

/** `waiting`: it was lost, and is tried again at `at`. `ended`: there is nothing more to follow. */
export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "waiting"; since: number; at: number }
  | { state: "ended" };

/** What to do after a connection that was refused: try on, begin without a cursor, or give up. */
export type Verdict = "again" | "anew" | "never";

export interface Following<E> {
  /** Below the root, without a slash before. */
  path: string;
  /** What else is offered beside `chatd`: a browser cannot set headers here. */
  offered?: string;
  cursor: () => string | null;
  onEvents: (events: E[]) => void;
  onConnection: (connection: Connection) => void;
  /** A browser is not told why a socket was refused: this asks, by other means. */
  whyRefused: () => Promise<Verdict>;
}

const FIRST_PAUSE_MS = 300;
const PAUSE_MS_MAX = 15_000;
/** Of each pause, at least this part is waited; the rest is by chance, so that not all come back at once. */
const STEADY = 0.5;
/** A machine that slept does not notice that its connections are gone. */
const TICK_MS = 10_000;
const SLEPT_MS = 4 * TICK_MS;

/** The server said that there is nothing more to tell. */
const NORMAL = 1000;

export function pauseMs(failures: number, chance: number): number {
  const whole = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return whole * (STEADY + (1 - STEADY) * chance);
}

/** Follows a stream through lost connections until the answer is called. */
export function follow<E>(following: Following<E>): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lostAt = 0;
  let over = false;

  function connect(): void {
    clearTimeout(timer);
    if (over || socket !== null) return;
    if (lostAt === 0) following.onConnection({ state: "connecting" });
    let opened = false;
    const made = new WebSocket(
      addressOf(following.path, following.cursor()),
      following.offered === undefined ? "chatd" : ["chatd", following.offered],
    );
    socket = made;
    made.onopen = () => {
      opened = true;
      failures = 0;
      lostAt = 0;
      following.onConnection({ state: "open" });
    };
    made.onmessage = ({ data }) => following.onEvents(JSON.parse(data) as E[]);
    made.onclose = ({ code }) => {
      if (socket !== made) return;
      socket = null;
      if (opened && code === NORMAL) end();
      else if (opened) wait();
      else void refused();
    };
  }

  async function refused(): Promise<void> {
    const verdict = await following.whyRefused();
    if (verdict === "never") end();
    else wait();
  }

  function wait(): void {
    if (over) return;
    const now = Date.now();
    lostAt ||= now;
    const pause = pauseMs(failures, Math.random());
    failures += 1;
    following.onConnection({ state: "waiting", since: lostAt, at: now + pause });
    timer = setTimeout(connect, pause);
  }

  function end(): void {
    stop();
    following.onConnection({ state: "ended" });
  }

  /** The network is there again, or somebody looks: that is a good time. */
  function tryNow(): void {
    if (!over && socket === null && document.visibilityState === "visible") connect();
  }

  let ticked = Date.now();
  const ticking = setInterval(() => {
    const slept = Date.now() - ticked > SLEPT_MS;
    ticked = Date.now();
    if (slept) socket?.close();
  }, TICK_MS);

  function stop(): void {
    over = true;
    clearTimeout(timer);
    clearInterval(ticking);
    window.removeEventListener("online", tryNow);
    document.removeEventListener("visibilitychange", tryNow);
    const left = socket;
    socket = null;
    left?.close();
  }

  window.addEventListener("online", tryNow);
  document.addEventListener("visibilitychange", tryNow);
  connect();
  return stop;
}

function addressOf(path: string, cursor: string | null): string {
  const address = new URL(path, ROOT);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  if (cursor !== null) address.searchParams.set("cursor", cursor);
  return address.href;
}
