// First: it says in which order layers count.
import "@/ui/theme.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { fixLinks } from "@/lib/browser/base";
import { showWidth } from "@/lib/kept/preferences";
import { chosenTheme, showTheme } from "@/lib/kept/theme";

fixLinks(document);
showTheme(chosenTheme());
showWidth();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element for the page.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
