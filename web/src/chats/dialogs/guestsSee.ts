/** What guests of a public link see, in words for whoever is about to make one (pure). */

import type { Included, LinkWish } from "@/api/chats/publicLinks";
import { moment } from "@/lib/time";

const DAY_MS = 24 * 3600 * 1000;

const SHOWN: Readonly<Record<Included, string>> = {
  reasoning: "the reasoning of the agent",
  tools: "what tools were given and what came of it",
  files: "files",
};

export function seen({ days, live, include }: LinkWish, now: number = Date.now()): string {
  const said = live ? "what was said and will be said here" : "what was said here up to now";
  const listed = ["the title, your display name", said, ...include.map((each) => SHOWN[each])].join(", ");
  return (
    `Until ${moment(new Date(now + days * DAY_MS).toISOString())}, anybody with the link sees ${listed}. ` +
    "They never see costs, labels, the queue, branches that were left, other agents, or who wrote which message."
  );
}
