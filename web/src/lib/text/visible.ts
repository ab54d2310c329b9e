/** Characters that change how text is read without being seen, made visible. */

// Embeddings, overrides and isolates reorder what follows them: code can be shown as something else than it is.
// Tags and the interlinear marks show nothing at all, and can carry text for models.
const HIDDEN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN.source, "gu");

/** The same text with each of these characters as its code, such as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return HIDDEN.test(text) ? text.replace(ALL_HIDDEN, codeOf) : text;
}

function codeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `⟨U+${code}⟩`;
}
