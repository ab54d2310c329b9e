/** Names for what the server sends. The shapes are generated from its own description: see types.gen.ts. */

import type { components } from "./types.gen";

type Schemas = components["schemas"];

export type Chat = Schemas["ChatView"];
export type ListedChat = Schemas["ListedChat"];
export type Message = Schemas["MessageView"];
export type Part = Schemas["Part"];
export type PartType = Part["type"];
export type PartOf<T extends PartType> = Extract<Part, { type: T }>;
export type Role = Schemas["MessageRole"];
export type Status = Schemas["ChatStatus"];
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
export type ToolCallPiece = Schemas["ToolCallPiece"];

/** Some more of what a running tool shows; `result_reset` begins anew. The first one says when it began. */
export type ToolResultPiece = Schemas["ToolResultPiece"];

/** What can be said live: pieces, and parts as they will be saved. */
export type LivePart = Schemas["LivePart"];

/** What the stream of a chat tells. */
export type Participant = Schemas["Participant"];
export type ViewerEvent = Schemas["ViewerEvent"];

/** What the stream of the list tells. */
export type ListEvent = Schemas["ListEvent"];
