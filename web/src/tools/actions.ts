/** What a card knows of its chat and can ask of it. The page of the chat provides it. */
import { createContext, useContext } from "react";

import type { Status } from "@/api/types";

/** A call that waits, as the server wants it named. */
export interface CallRef {
  tool_call_id: string;
  message_id: number;
}

export type Scope = "once" | "chat" | "always";

export interface Decision {
  decision: "allow" | "deny";
  scope: Scope;
  /** For the model. */
  reason?: string;
}

export type PlanAnswer =
  | { decision: "accept" }
  | { decision: "decline" }
  | { decision: "revise"; feedback: string };

/** To questions: a text for each, in their order; null leaves them unanswered. */
export type Answer = readonly string[] | null | PlanAnswer;

/** Each resolves when the server has taken it, and rejects with an error whose message is for people. */
export interface ChatActions {
  decide(call: CallRef, decision: Decision): Promise<void>;
  answer(call: CallRef, answer: Answer): Promise<void>;
}

/** An agent that works for this chat, as it is now. */
export interface Child {
  title: string;
  status: Status;
}

export interface Surroundings {
  /** Null: this chat can only be read. */
  actions: ChatActions | null;
  /** Whether calls and plans are the caller's to allow: those with whom a chat is shared can only speak in it. */
  mayApprove: boolean;
  /** Agents of this chat, by the id of their chat. */
  children: Readonly<Record<string, Child>>;
  /** What later calls did to processes, by process id: see processes/fates.ts. */
  fates: Readonly<Record<string, "killed" | "terminated">>;
  /** Where a chat is shown, from the root of the page. */
  chatHref(chatId: string): string;
  /** Shown to who is not signed in: nothing else of the chat can be asked for. */
  isForGuests?: boolean;
}

export const SurroundingsContext = createContext<Surroundings>({
  actions: null,
  mayApprove: true,
  children: {},
  fates: {},
  chatHref: (chatId) => `/chats/${chatId}`,
});

export const useSurroundings = (): Surroundings => useContext(SurroundingsContext);
