/** What stands in a line of Markdown, as elements. There is no HTML in it: tags are text. */
import type { Token, Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { Image } from "./Image";
import { Formula } from "./LazyFormula";
import { Link } from "./Link";
import { decoded } from "./syntax/entities";

type Show = (token: never) => ReactNode;

const INLINE: Readonly<Record<string, Show>> = {
  text: (token: Tokens.Text) => (token.tokens ? <Inline tokens={token.tokens} /> : decoded(token.text)),
  escape: (token: Tokens.Escape) => decoded(token.text),
  strong: (token: Tokens.Strong) => <strong>{inner(token)}</strong>,
  em: (token: Tokens.Em) => <em>{inner(token)}</em>,
  del: (token: Tokens.Del) => <del>{inner(token)}</del>,
  codespan: (token: Tokens.Codespan) => <code>{token.text}</code>,
  br: () => <br />,
  link: (token: Tokens.Link) => <Link token={token}>{inner(token)}</Link>,
  image: (token: Tokens.Image) => <Image token={token} />,
  math: (token: Tokens.Generic) => <Formula text={String(token.text)} />,
  // An empty line for it: its list item shows it.
  checkbox: () => null,
  html: (token: Tokens.Tag) => (/^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw),
};

export function Inline({ tokens }: { tokens: Token[] }): ReactNode {
  // By place: what is written grows at its end.
  return createElement(
    Fragment,
    null,
    ...tokens.map(
      (token) => INLINE[token.type]?.(token as never) ?? (token.type in INLINE ? null : token.raw),
    ),
  );
}

function inner(token: { tokens: Token[] }): ReactNode {
  return <Inline tokens={token.tokens} />;
}
