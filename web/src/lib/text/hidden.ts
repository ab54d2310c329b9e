/** Characters that are not seen, and may tell a model what its reader does not know of. */

// Zero-width characters, marks of direction, and tags; not the joiners of emoji and of scripts that need them.
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** How many there are. */
export function hiddenIn(text: string): number {
  return text.match(HIDDEN)?.length ?? 0;
}
