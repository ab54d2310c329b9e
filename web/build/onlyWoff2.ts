import type { Plugin } from "vite";

const OTHERS = /,\s*url\([^)]*\)\s*format\((["'])(?:woff|truetype)\1\)/g;

/** Every browser that we build for reads woff2: the same fonts in older formats would only make the wheel larger. */
export function onlyWoff2(): Plugin {
  return {
    name: "chatd:only-woff2",
    enforce: "pre",
    transform: {
      filter: { id: /katex\.min\.css$/ },
      handler: (code) => ({ code: code.replace(OTHERS, ""), map: null }),
    },
  };
}
