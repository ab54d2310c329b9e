import type {
  ChatDetails,
  Children,
  Failure,
  HeldUp,
  Message,
  Participant,
  PartOf,
  Queued,
  Retry,
  Status,
  WaitingFor,
} from "@/api/types";

/** One chat as this browser knows it from its stream. Values are never changed, only replaced. */
export interface ChatView {
  /** Null until the stream has told. */
  details: ChatDetails | null;
  status: Status | null;
  /** Who has written in it, by id. Empty: the owner alone. */
  participants: Readonly<Record<string, Participant>>;
  /** In the order of their ids. */
  messages: readonly Message[];
  /** There are messages before this one that were not read yet; null: there are none. */
  olderThan: number | null;
  queue: readonly Queued[];
  error: Failure | null;
  waitingFor: readonly WaitingFor[];
  /** The chats that work for it; null: there are none. */
  children: Children | null;
  retry: Retry | null;
  heldUp: HeldUp | null;
  /** What is being said may come late, or only when it is saved. */
  paused: boolean;
  preview: Preview;
  /** What to come back with. */
  cursor: string | null;
  /** The chat was deleted. */
  gone: boolean;
  /** What was known cannot be continued: it stays on screen until what follows is whole. */
  replacement: ChatView | null;
}

/** What is being said. */
export interface Preview {
  history: number;
  attempt: number;
  /** The number of the last piece. */
  seq: number;
  said: readonly Said[];
  /** Calls that run or are being said, by id. */
  calls: Readonly<Record<string, SaidCall>>;
  /** The rest of it is not shown. */
  cut: boolean;
}

/** A piece of the message that is being said. A call is at its place among them. */
export type Said =
  | PartOf<"text">
  | PartOf<"reasoning">
  | PartOf<"source">
  | PartOf<"file">
  | { type: "call"; id: string };

export interface SaidCall {
  id: string;
  name: string;
  argsText: string;
  part: PartOf<"tool-call"> | null;
  output: string;
  /** When it began to run, if it has. */
  startedAt?: string;
  result: PartOf<"tool-result"> | null;
}

export const NOTHING_SAID: Preview = { history: 0, attempt: 0, seq: 0, said: [], calls: {}, cut: false };

export const NEW_VIEW: ChatView = {
  details: null,
  status: null,
  participants: {},
  messages: [],
  olderThan: null,
  queue: [],
  error: null,
  waitingFor: [],
  children: null,
  retry: null,
  heldUp: null,
  paused: false,
  preview: NOTHING_SAID,
  cursor: null,
  gone: false,
  replacement: null,
};
