/** Formulas in Markdown: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` in a line. */
import type { TokenizerAndRendererExtension, Tokens } from "marked";

export interface MathToken extends Tokens.Generic {
  type: "math" | "math_block";
  text: string;
}

// Of one text. What follows is shown as it was written, as longer ones are: typesetting takes its time.
const FORMULAS_MAX = 300;
const BLOCK = /^(?:\$\$([^$]{1,4000}?)\$\$|\\\[([\s\S]{1,4000}?)\\\])[ \t]*(?:\n|$)/;
// A price is no formula: no space inside of the signs, and no digit behind them.
const INLINE =
  /^(?:\$(?![\s$])((?:\\.|[^$\\\n]){1,500}?)(?<!\s)\$(?![\d$])|\\\(((?:[^\\\n]|\\(?!\))){1,500})\\\))/;

export const mathBlock: TokenizerAndRendererExtension = {
  name: "math_block",
  level: "block",
  start: (source) => indexOf(paragraph(source), /\$\$|\\\[/),
  tokenizer(source) {
    return token("math_block", BLOCK, source, this.lexer);
  },
};

export const mathInline: TokenizerAndRendererExtension = {
  name: "math",
  level: "inline",
  start: (source) => indexOf(source, /\$|\\\(/),
  tokenizer(source) {
    return token("math", INLINE, source, this.lexer);
  },
};

const counts = new WeakMap<object, number>();

function token(
  type: MathToken["type"],
  pattern: RegExp,
  source: string,
  lexer: object,
): MathToken | undefined {
  const count = counts.get(lexer) ?? 0;
  const match = count < FORMULAS_MAX ? pattern.exec(source) : null;
  if (match === null) return undefined;
  counts.set(lexer, count + 1);
  return { type, raw: match[0], text: (match[1] ?? match[2] ?? "").trim() };
}

/** Only where a paragraph may end is asked for, and it ends here in any case: not the whole rest is looked through. */
function paragraph(source: string): string {
  const end = source.indexOf("\n\n");
  return end < 0 ? source : source.slice(0, end);
}

function indexOf(source: string, pattern: RegExp): number | undefined {
  const at = source.search(pattern);
  return at < 0 ? undefined : at;
}
