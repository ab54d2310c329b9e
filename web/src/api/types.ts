/** Names for what the server sends. The shapes are generated from its own description: see types.gen.ts. */

import type { components } from "./types.gen";

type Schemas = components["schemas"];

export type Chat = Schemas["ChatView"];
export type ListedChat = Schemas["ListedChat"];
export type Message = Schemas["MessageView"];
export type Part = Message["content"][number];
export type PartType = Part["type"];
export type PartOf<T extends PartType> = Extract<Part, { type: T }>;
export type Role = Schemas["Role"];
export type Status = Schemas["Status"];
export type Queued = Schemas["QueuedView"];
export type When = Schemas["When"];
export type WaitingFor = Schemas["WaitingFor"];
export type Failure = Schemas["FailureView"];
export type Retry = Schemas["RetryView"];
export type HeldUp = Schemas["HeldUp"];
export type CallProgress = Schemas["CallProgress"];
export type Model = Schemas["ModelView"];
export type Effort = Schemas["Effort"];
export type Branch = Schemas["BranchView"];
export type TurnEnd = Schemas["TurnEndView"];
export type Usage = Schemas["Usage"];
export type ChatDetails = Schemas["ChatDetails"];
export type Children = Schemas["ChildrenView"];

/** Some more of the arguments of a call, while it is being said. */
export interface ToolCallPiece {
  type: "tool-call";
  tool_call_id: string;
  args_delta: string;
  tool_name?: string;
  kind?: Schemas["RunBy"] | null;
}

/** Some more of what a running tool shows; `result_reset` begins anew. The first one says when it began. */
export interface ToolResultPiece {
  type: "tool-result";
  tool_call_id: string;
  tool_name: string;
  result_delta: string;
  result_reset?: boolean;
  started_at?: string;
}

/** What can be said live: pieces, and parts as they will be saved. */
export type LivePart = Part | ToolCallPiece | ToolResultPiece;

type PartSpoken = Omit<Schemas["PartSpoken"], "part"> & { part: LivePart };

/** What the stream of a chat tells. */
export type ViewerEvent =
  | Schemas["ChatDescribed"]
  | Schemas["OlderMessages"]
  | Schemas["MessageSaved"]
  | Schemas["MessageDeleted"]
  | Schemas["QueueUpdated"]
  | Schemas["StatusChanged"]
  | Schemas["TurnFailed"]
  | Schemas["WaitingForChanged"]
  | Schemas["ChildrenChanged"]
  | Schemas["RetryPending"]
  | Schemas["RetryOver"]
  | Schemas["HeldUpChanged"]
  | Schemas["PreviewReset"]
  | Schemas["PreviewPaused"]
  | PartSpoken
  | Schemas["Gap"]
  | Schemas["ChatGone"]
  | Schemas["AccessEnded"];

/** What the stream of the list tells. */
export type ListEvent =
  | Schemas["Created"]
  | Schemas["Described"]
  | Schemas["TitleMoved"]
  | Schemas["StatusMoved"]
  | Schemas["TurnLabelled"]
  | Schemas["Summarized"]
  | Schemas["ContextMoved"]
  | Schemas["ChildrenMoved"]
  | Schemas["Deleted"]
  | Schemas["Missed"]
  | Schemas["WatchEnded"];
