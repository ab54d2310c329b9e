import type { ComponentType } from "react";
import type { PartOf, PartType, Role } from "@/api/types";
import { PlainPart } from "./PlainPart";

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
  text: PlainPart,
  reasoning: PlainPart,
  source: PlainPart,
  file: PlainPart,
  "file-reference": PlainPart,
  "context-file": PlainPart,
  skill: PlainPart,
  "hook-notice": PlainPart,
};
