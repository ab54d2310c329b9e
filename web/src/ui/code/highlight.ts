/** Highlights code a few lines at a time, so that typing and scrolling never wait for it. */
import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

import { loadLanguage } from "./languages";

export interface Piece {
  text: string;
  /** A class that says what it is; empty: nothing in particular. */
  kind: string;
}
export type Line = readonly Piece[];

const LINES_AT_ONCE = 40;
const THEME = "variables";
const KIND = /^var\(--code-(?:token-)?([a-z-]+)\)$/;

let highlighter: Promise<HighlighterCore> | undefined;

/** The lines of the code. Rejects when its language cannot be loaded. */
export async function highlight(code: string, language: string, signal: AbortSignal): Promise<Line[]> {
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: "--code-" })],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const shiki = await highlighter;
  if (!shiki.getLoadedLanguages().includes(language)) await shiki.loadLanguage(await loadLanguage(language));
  return highlightAll(shiki, code.split("\n"), language, signal);
}

async function highlightAll(
  shiki: HighlighterCore,
  lines: string[],
  language: string,
  signal: AbortSignal,
): Promise<Line[]> {
  const done: Line[] = [];
  let grammarState: GrammarState | undefined;
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    signal.throwIfAborted();
    const some = lines.slice(at, at + LINES_AT_ONCE).join("\n");
    const options = { lang: language, theme: THEME, ...(grammarState && { grammarState }) };
    const tokens = shiki.codeToTokensBase(some, options);
    grammarState = shiki.getLastGrammarState(some, options);
    done.push(
      ...tokens.map((line) => line.map((token) => ({ text: token.content, kind: kindOf(token.color) }))),
    );
    await new Promise((resume) => setTimeout(resume));
  }
  return done;
}

function kindOf(color: string | undefined): string {
  const name = KIND.exec(color ?? "")?.[1];
  return name === undefined || name === "foreground" ? "" : `code-${name}`;
}
