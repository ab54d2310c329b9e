import { useChatTotals, useChildTotals } from "@/api/chats/inspect";
import { plural } from "@/lib/text/words";
import { Asked } from "../Asked";
import { Facts } from "../Facts";
import { Part } from "../Part";
import { costOf, money } from "./filled";

export function CostSection({ chatId }: { chatId: string }) {
  const chat = useChatTotals(chatId);
  const children = useChildTotals(chatId);
  return (
    <Part title="Cost">
      <Asked query={chat} what="The cost">
        {(totals) => {
          const cost = costOf(totals, children.data?.chats ?? []);
          // Nothing, where no price is known, would be said of what may be dear.
          const isKnown = cost.unpriced === 0 || cost.own + cost.children > 0;
          const { input_tokens = 0, output_tokens = 0, cache_read_tokens = 0 } = totals.usage_total ?? {};
          return (
            <>
              <Facts
                facts={[
                  ["This chat", isKnown ? money(cost.own) : "not known"],
                  [
                    plural(cost.childCount, "subagent"),
                    cost.childCount > 0 && isKnown ? money(cost.children) : null,
                  ],
                  ["Together", cost.childCount > 0 && isKnown ? money(cost.own + cost.children) : null],
                  ["Tokens in", input_tokens.toLocaleString()],
                  [
                    "of these from the cache",
                    cache_read_tokens > 0 ? cache_read_tokens.toLocaleString() : null,
                  ],
                  ["Tokens out", output_tokens.toLocaleString()],
                ]}
              />
              {cost.unpriced > 0 && (
                <p className="text-xs text-muted">
                  The price of {plural(cost.unpriced, "call")} is not known
                  {isKnown ? ", so it is more than that." : "."}
                </p>
              )}
            </>
          );
        }}
      </Asked>
    </Part>
  );
}
