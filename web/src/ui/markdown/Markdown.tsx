/** A text in Markdown that may come from anyone, while it is written and after. */
import { useMemo, useState } from "react";

import { beginningOf, endOf } from "@/ui/long/beginning";
import { More, useMore } from "@/ui/long/More";

import { BlockList } from "./Block";
import { GrowingBlocks } from "./syntax/blocks";
import "./markdown.css";

// Of a text that grows, each of which is looked at for each word.
const GROWING_BLOCKS_MAX = 2_000;

interface Props {
  text: string;
  /** More of it follows: marks that are not closed yet count as closed. */
  growing?: boolean;
}

/** Of a very long text its beginning is shown; while it grows, its end. */
export function Markdown({ text, growing = false }: Props) {
  const [read] = useState(() => new GrowingBlocks());
  const [times, more] = useMore();
  const part = growing ? endOf(text) : beginningOf(text, times);
  const blocks = useMemo(() => (growing ? read.soFar(part) : read.whole(part)), [part, growing, read]);
  const from = growing ? Math.max(0, blocks.length - GROWING_BLOCKS_MAX) : 0;
  const isCut = part.length < text.length || from > 0;
  return (
    <div className="md" dir="auto">
      {isCut && growing && <p className="md-host">The beginning is shown when this is whole.</p>}
      <BlockList blocks={blocks.slice(from)} from={from} growing={growing} />
      {isCut && !growing && <More shown={part.length} length={text.length} onMore={more} />}
    </div>
  );
}
