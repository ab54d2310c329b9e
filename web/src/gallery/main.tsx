import { createRoot } from "react-dom/client";

import { Gallery } from "./Gallery";
import { CHAPTERS } from "./stories";
import "@/ui/theme.css";

const root = document.getElementById("root");
// One chapter alone: gallery.html?execute
const wanted = decodeURIComponent(location.search.slice(1));
if (root)
  createRoot(root).render(<Gallery chapters={CHAPTERS.filter((each) => each.name.includes(wanted))} />);
