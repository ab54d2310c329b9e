/** A text in Markdown that may come from anyone, while it is written and after. */
import { useMemo, useState } from "react";

import { BlockList } from "./Block";
import { blocksOf, GrowingBlocks } from "./blocks";
import "./markdown.css";

interface Props {
  text: string;
  /** More of it follows: marks that are not closed yet count as closed. */
  growing?: boolean;
}

export function Markdown({ text, growing = false }: Props) {
  const [grown] = useState(() => new GrowingBlocks());
  const blocks = useMemo(() => (growing ? grown.of(text) : blocksOf(text)), [text, growing, grown]);
  return (
    <div className="md" dir="auto">
      <BlockList blocks={blocks} growing={growing} />
    </div>
  );
}
