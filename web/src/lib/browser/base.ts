/**
 * Where the page is served, with a slash at its end: `https://host/` or `https://host/a/path/`.
 *
 * The server writes into the document how many steps up the root is. Read once, for what is relative is so to
 * the address at which the page was loaded.
 */
export const ROOT: URL = rootOf(globalThis.document, globalThis.location);

export function rootOf(document: Document | undefined, location: Location | undefined): URL {
  const steps = document?.querySelector('meta[name="chatd-root"]')?.getAttribute("content") ?? "./";
  return new URL(steps, location?.href ?? "http://localhost/");
}

/** Browsers look for the icon anew when the address changes, and what is relative would then lead elsewhere. */
export function fixLinks(document: Document): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[href]")) {
    link.setAttribute("href", link.href);
  }
}

/** The path of the root without the slash at its end, as routes have it. */
export const ROOT_PATH = ROOT.pathname.replace(/\/$/, "");

/** The link that signs a browser in, once: its code is behind the #, where no log sees it. */
export const linkWith = (code: string): string => `${new URL("sign-in", ROOT).href}#${code}`;

/** What guests open: the same way. */
export const publicLinkWith = (code: string): string => `${new URL("s", ROOT).href}#${code}`;
