/** Formulas in Markdown: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` in a line. */
import type { TokenizerAndRendererExtension, Tokens } from "marked";

export interface MathToken extends Tokens.Generic {
  type: "math" | "math_block";
  text: string;
}

// Longer ones are shown as they were written: the time that a formula takes grows with its length.
const BLOCK = /^(?:\$\$([^$]{1,4000}?)\$\$|\\\[([\s\S]{1,4000}?)\\\])[ \t]*(?:\n|$)/;
// A price is no formula: no space inside of the signs, and no digit behind them.
const INLINE =
  /^(?:\$(?![\s$])((?:\\.|[^$\\\n]){1,500}?)(?<!\s)\$(?![\d$])|\\\(((?:[^\\\n]|\\(?!\))){1,500})\\\))/;

export const mathBlock: TokenizerAndRendererExtension = {
  name: "math_block",
  level: "block",
  start: (source) => indexOf(source, /\$\$|\\\[/),
  tokenizer: (source) => token("math_block", BLOCK.exec(source)),
};

export const mathInline: TokenizerAndRendererExtension = {
  name: "math",
  level: "inline",
  start: (source) => indexOf(source, /\$|\\\(/),
  tokenizer: (source) => token("math", INLINE.exec(source)),
};

function token(type: MathToken["type"], match: RegExpExecArray | null): MathToken | undefined {
  return match ? { type, raw: match[0], text: (match[1] ?? match[2] ?? "").trim() } : undefined;
}

function indexOf(source: string, pattern: RegExp): number | undefined {
  const at = source.search(pattern);
  return at < 0 ? undefined : at;
}
