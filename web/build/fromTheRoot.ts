import type { Plugin } from "vite";

/** While developing, the page is at the root; chatd itself writes how deep below it an address is. */
export function fromTheRoot(): Plugin {
  return {
    name: "chatd:from-the-root",
    apply: "serve",
    transformIndexHtml: (document) => document.replaceAll('="./', '="/'),
  };
}
