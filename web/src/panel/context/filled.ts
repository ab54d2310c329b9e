/** How full the context of a chat's model is (pure). */

import type { Message } from "@/api/types";

export interface Filled {
  tokens: number;
  limit: number;
  percent: number;
  /** The provider did not count: it was estimated from the text. */
  isEstimate: boolean;
}

/** By the newest message that knows; null: none does. */
export function filledBy(messages: readonly Message[]): Filled | null {
  for (const { usage } of messages.toReversed()) {
    const limit = usage?.context_limit ?? 0;
    const counted = usage?.context_tokens ?? 0;
    const tokens = counted || (usage?.context_estimate ?? 0);
    if (limit > 0 && tokens > 0)
      return { tokens, limit, percent: Math.round((100 * tokens) / limit), isEstimate: counted === 0 };
  }
  return null;
}

/** Money in millionths. Less than a cent is not nothing. */
export function money(micros: number): string {
  if (micros === 0) return "0.00";
  if (micros < 10_000) return "less than 0.01";
  return (micros / 1_000_000).toLocaleString(undefined, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
}

export interface Cost {
  own: number;
  children: number;
  childCount: number;
  /** Calls of models whose price is not known, so that the sum is too small. */
  unpriced: number;
}

/** What others have cost is told to their owner alone. */
interface Priced {
  cost_micros_total?: number;
  unpriced_calls?: number;
}

export function costOf(chat: Priced, children: readonly Priced[]): Cost {
  return {
    own: chat.cost_micros_total ?? 0,
    children: children.reduce((sum, child) => sum + (child.cost_micros_total ?? 0), 0),
    childCount: children.length,
    unpriced: [chat, ...children].reduce((sum, each) => sum + (each.unpriced_calls ?? 0), 0),
  };
}
