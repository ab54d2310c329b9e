import { Square, SquareCheck } from "lucide-react";
import type { Tokens } from "marked";

import { BlockList } from "./Block";

export function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: by place, as items are only added at the end
    <li key={index} className={item.task ? "md-task" : undefined}>
      {item.task && <Box checked={item.checked ?? false} />}
      {item.task ? (
        <div>
          <BlockList blocks={item.tokens} />
        </div>
      ) : (
        <BlockList blocks={item.tokens} />
      )}
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={token.start === "" ? 1 : token.start}>{items}</ol>;
}

function Box({ checked }: { checked: boolean }) {
  const Icon = checked ? SquareCheck : Square;
  return <Icon role="img" aria-label={checked ? "done" : "to do"} size={16} />;
}
