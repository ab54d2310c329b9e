import type { ComponentType } from "react";
import type { ShownCall } from "@/live/call";
import { DefaultCard } from "./DefaultCard";

export interface ToolCardProps {
  chatId: string;
  call: ShownCall;
}

export type ToolCard = ComponentType<ToolCardProps>;

/** Tools that deserve a card of their own. */
export const CARDS: Record<string, ToolCard> = {};

export const cardFor = (tool: string): ToolCard => CARDS[tool] ?? DefaultCard;
