import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import page from "../vite.config.ts";
import { onlyWoff2 } from "./onlyWoff2.ts";

/** The gallery alone, for tests in a browser: it is no part of the page that is served. */
export default defineConfig({
  ...page,
  plugins: [react(), tailwindcss(), onlyWoff2()],
  build: {
    ...page.build,
    emptyOutDir: true,
    rolldownOptions: { input: fileURLToPath(new URL("../gallery.html", import.meta.url)) },
  },
});
