/** Reads Markdown with a bound on everything whose cost grows faster than its length. */
import { Lexer, Marked, type MarkedToken, type Token, type TokensList } from "marked";

import { mathBlock, mathInline } from "./math";

export type Links = TokensList["links"];

// Longer texts are shown as they are.
const CHARACTERS_MAX = 400_000;
// Quotes in lists in quotes: deeper nesting is no writing.
const DEPTH_MAX = 16;
// Of one paragraph. Each of these is compared with all that follow.
const EMPHASIS_MAX = 400;
const BRACKETS_MAX = 2_000;
// Each of these becomes a link.
const ADDRESSES_MAX = 500;
// A longer run without a space is no word, but is looked at as an address from each of its characters on.
const LONG_RUN = /\S{2000}/;

const { defaults } = new Marked({ gfm: true, extensions: [mathBlock, mathInline] });

/** The tokens of a text. What cannot be read within the bounds is one plain text. */
export function read(text: string, links: Links = {}): TokensList {
  if (text.length > CHARACTERS_MAX) return Object.assign([plain(text)], { links });
  const lexer = new BoundedLexer(defaults);
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(text);
}

class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(source: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], clipped?: boolean): Token[] {
    return this.#deeper(source, tokens, () => super.blockTokens(source, tokens, clipped));
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (isCostly(source)) return pushed(tokens, source);
    return this.#deeper(source, tokens, () => super.inlineTokens(source, tokens));
  }

  #deeper(source: string, tokens: Token[], next: () => Token[]): Token[] {
    if (this.#depth >= DEPTH_MAX) return pushed(tokens, source);
    this.#depth += 1;
    try {
      return next();
    } finally {
      this.#depth -= 1;
    }
  }
}

function isCostly(source: string): boolean {
  return (
    count(source, /[*_~]+/g) > EMPHASIS_MAX ||
    count(source, /[[\]()<]/g) > BRACKETS_MAX ||
    count(source, /:\/\/|www\.|@/g) > ADDRESSES_MAX ||
    LONG_RUN.test(source)
  );
}

function count(source: string, pattern: RegExp): number {
  return source.match(pattern)?.length ?? 0;
}

function pushed(tokens: Token[], source: string): Token[] {
  tokens.push(plain(source));
  return tokens;
}

function plain(text: string): MarkedToken {
  return { type: "text", raw: text, text, escaped: false };
}
