/** Which addresses a text may lead to. */

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address as a link may have it, or null: another scheme, a relative one, or none at all. */
export function safeHref(href: string): string | null {
  try {
    // Without a base: what is relative would lead to pages of this server.
    const url = new URL(href.trim());
    return SCHEMES.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The host that a link leads to, for people who decide whether to follow it. */
export function hostOf(href: string): string {
  try {
    return new URL(href).host;
  } catch {
    return "";
  }
}
