/** Splits Markdown into blocks. Of a text that grows, only its end is read again, also when it is whole. */
import type { Token, TokensList } from "marked";
import remend from "remend";

import { visible } from "@/lib/text/visible";

import { type Links, read } from "./lexer";

// An image that is written out in its address is never shown, and not worth reading.
const DATA_ADDRESS = /\]\(\s*<?data:[^)\s>]{100,}/g;
// A block may still be continued by what follows it, as a list is.
const UNSETTLED_BLOCKS = 2;

/** The blocks of a text, while it is written and when it is whole. Those that cannot change stay the same objects. */
export class GrowingBlocks {
  #settled: Token[] = [];
  #settledText = "";
  #links: Links = {};

  /** Marks that are not closed yet count as closed. */
  soFar(written: string): Token[] {
    const text = cleaned(written);
    if (!text.startsWith(this.#settledText)) this.#forget();
    this.#settle(read(text.slice(this.#settledText.length), this.#links));
    const open = text.slice(this.#settledText.length);
    return [...this.#settled, ...read(remend(open), this.#links)];
  }

  /** What is defined at the end of a text can make a link of what was text before: then all of it is read again. */
  whole(written: string): Token[] {
    const text = cleaned(written);
    if (!text.startsWith(this.#settledText)) this.#forget();
    const rest = read(text.slice(this.#settledText.length), this.#links);
    const hasLinks = Object.keys(rest.links).length > 0;
    return this.#settled.length > 0 && hasLinks ? read(text) : [...this.#settled, ...rest];
  }

  #settle(blocks: TokensList): void {
    const settled = blocks.slice(0, Math.max(0, blocks.length - UNSETTLED_BLOCKS));
    if (settled.length === 0) return;
    this.#links = blocks.links;
    this.#settled = [...this.#settled, ...settled];
    this.#settledText += settled.map((block) => block.raw).join("");
  }

  #forget(): void {
    this.#settled = [];
    this.#settledText = "";
    this.#links = {};
  }
}

/** With line ends as the lexer counts them, and nothing that cannot be seen. */
function cleaned(text: string): string {
  return visible(text).replace(/\r\n?/g, "\n").replace(DATA_ADDRESS, "](data:");
}
