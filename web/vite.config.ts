import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compress } from "./build/compress.ts";
import { fromTheRoot } from "./build/fromTheRoot.ts";
import { onlyWoff2 } from "./build/onlyWoff2.ts";

/** While developing: where chatd runs. */
const SERVER = process.env.CHATD_URL ?? "http://127.0.0.1:8787";

/** While developing, one need not sign in: CHATD_TOKEN=… npm run dev */
const token = process.env.CHATD_TOKEN;

const root = (path: string) => fileURLToPath(new URL(`./${path}`, import.meta.url));
const source = (path: string) => root(`src/${path}`);

export default defineConfig({
  // Only the browser knows below which path a proxy serves us: every address is relative.
  base: "./",
  plugins: [react(), tailwindcss(), onlyWoff2(), fromTheRoot(), compress()],
  resolve: {
    alias: {
      "@": source(""),
      // Radix locks the scrolling of the body with a style element, which the policy of the page refuses.
      // Our body never scrolls, so there is nothing to lock.
      "react-remove-scroll": source("lib/removeScroll.tsx"),
    },
  },
  build: {
    outDir: "../src/chatd/web",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    // A file that is not there as such cannot be refused by the policy of the page.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    rolldownOptions: { input: { index: root("index.html"), docs: root("docs.html") } },
  },
  server: {
    proxy: {
      "/api": { target: SERVER, ws: true, headers: token ? { Authorization: `Bearer ${token}` } : {} },
    },
  },
  test: {
    environment: "node",
    // As generous as what tests wait for: see tests/rendered.tsx.
    testTimeout: 60_000,
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    // No test asks a real server.
    setupFiles: ["tests/server.ts", "tests/sockets.ts"],
  },
});
