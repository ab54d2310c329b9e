/** One block of Markdown. It is drawn again only when what was written has changed. */
import type { Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";

import { CodeBlock } from "../code/CodeBlock";
import { Inline } from "./Inline";
import { Formula } from "./LazyFormula";
import { List } from "./List";
import { fenceOf } from "./syntax/fence";
import { Table } from "./Table";

interface Props {
  block: Token;
  /** More of it may follow. */
  open?: boolean;
  /** More of the text may follow: what is said later can make a link of what was text. */
  growing?: boolean;
}

type Show = (token: never, open: boolean) => ReactNode;

const BLOCKS: Readonly<Record<string, Show>> = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  heading: (token: Tokens.Heading) => (
    <h2 data-depth={token.depth}>
      <Inline tokens={token.tokens} />
    </h2>
  ),
  paragraph: (token: Tokens.Paragraph) => (
    <p>
      <Inline tokens={token.tokens} />
    </p>
  ),
  // In a list without empty lines a paragraph is only text.
  text: (token: Tokens.Text) => (token.tokens ? <Inline tokens={token.tokens} /> : <p>{token.text}</p>),
  blockquote: (token: Tokens.Blockquote) => (
    <blockquote>
      <BlockList blocks={token.tokens} />
    </blockquote>
  ),
  list: (token: Tokens.List) => <List token={token} />,
  table: (token: Tokens.Table) => <Table token={token} />,
  code: (token: Tokens.Code, open) => <CodeBlock code={token.text} {...fenceOf(token.lang)} open={open} />,
  math_block: (token: Tokens.Generic) => <Formula text={String(token.text)} block />,
  checkbox: () => null,
  // Tags are shown as they were written.
  html: (token: Tokens.HTML) => <p className="md-literal">{token.raw.trimEnd()}</p>,
};

export const Block = memo(ShowBlock, isSame);

function ShowBlock({ block, open = false }: Props): ReactNode {
  const show = BLOCKS[block.type];
  return show === undefined ? <p>{block.raw}</p> : show(block as never, open);
}

function isSame(before: Props, now: Props): boolean {
  if (before.open !== now.open) return false;
  if (before.block === now.block) return true;
  const { raw, type } = now.block;
  return before.growing === now.growing && before.block.raw === raw && before.block.type === type;
}

interface ListProps {
  blocks: Token[];
  /** The place of the first one in the text. */
  from?: number;
  growing?: boolean;
}

export function BlockList({ blocks, from = 0, growing = false }: ListProps) {
  return blocks.map((block, index) => (
    // By place: blocks are added at the end, and the ones before stay.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Block key={from + index} block={block} open={growing && index === blocks.length - 1} growing={growing} />
  ));
}
