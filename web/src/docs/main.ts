/** The API, for people who write programs: what there is, and a way to try it out. A page of its own. */

import "swagger-ui-dist/swagger-ui.css";
import "./docs.css";

import SwaggerUI, { type Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import notices from "swagger-ui-dist/swagger-ui-es-bundle.js.LICENSE.txt?url";
import { ROOT } from "@/lib/browser/base";
import { chosenTheme } from "@/lib/kept/theme";
import { type Description, tryable, withoutSecret } from "./description";

const AUTHORIZATION = ["headers", "Authorization"];

function showTheme(systemIsDark: boolean): void {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && systemIsDark);
  document.documentElement.classList.toggle("dark-mode", isDark);
}

/** The command line that it shows, for others to copy and for screenshots, has no token and no code in it. */
const withoutSecrets = (): Plugin => ({
  wrapComponents: {
    curl:
      (original, { React }) =>
      (shown) => {
        const { request } = shown;
        const sent = request.getIn(AUTHORIZATION);
        const hidden = sent === undefined ? request : request.setIn(AUTHORIZATION, withoutSecret(sent));
        return React.createElement(original, { ...shown, request: hidden });
      },
  },
});

async function show(docs: HTMLElement): Promise<void> {
  const answer = await fetch(new URL("api/v1/openapi.json", ROOT), { credentials: "omit" });
  if (!answer.ok) throw new Error(`The description could not be read: the server answered ${answer.status}.`);
  SwaggerUI({
    domNode: docs,
    spec: tryable((await answer.json()) as Description, ROOT),
    plugins: [withoutSecrets],
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: "none",
    filter: true,
    // A token and a code are forgotten with the page.
    persistAuthorization: false,
    requestInterceptor: (asked) => ({ ...asked, credentials: "omit" }),
    validatorUrl: null,
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
showTheme(dark.matches);
dark.addEventListener("change", ({ matches }) => showTheme(matches));

document.getElementById("notices")?.setAttribute("href", notices);
const docs = document.getElementById("docs");
if (docs === null) throw new Error("docs.html has no element for the page.");
show(docs).catch((error: unknown) => {
  docs.textContent = error instanceof Error ? error.message : String(error);
});
