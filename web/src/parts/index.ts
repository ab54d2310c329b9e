import type { ComponentType } from "react";
import type { PartOf, PartType, Role } from "@/api/types";
import { ContextFilePart, FileReferencePart, HookNoticePart, SkillPart } from "./ContextParts";
import { FilePart } from "./FilePart";
import { ReasoningPart } from "./ReasoningPart";
import { SourcePart } from "./SourcePart";
import { TextPart } from "./TextPart";

export interface PartProps<T extends PartType = PartType> {
  part: PartOf<T>;
  chatId: string;
  role: Role;
  /** It is still being said. */
  live: boolean;
}

/** Tool calls are cards: see tools/. What they came to is shown in them. */
export type ShownPartType = Exclude<PartType, "tool-call" | "tool-result">;

type PartTable = { [T in ShownPartType]: ComponentType<PartProps<T>> };

/** One component for each kind of part. A new kind does not compile until it is here. */
export const PARTS: PartTable = {
  text: TextPart,
  reasoning: ReasoningPart,
  source: SourcePart,
  file: FilePart,
  "file-reference": FileReferencePart,
  "context-file": ContextFilePart,
  skill: SkillPart,
  "hook-notice": HookNoticePart,
};
