/** Code with its language or the name of its file, and a button that copies it. */

import { useLayoutEffect, useRef } from "react";
import { Scroll } from "@/ui/Group";
import { CodeLines } from "./CodeLines";
import { CopyButton } from "./CopyButton";
import "./code.css";
import { useHighlighted } from "./useHighlighted";

// While it is being written only its end is drawn: each word draws it again.
const OPEN_LINES_MAX = 100;

interface Props {
  code: string;
  language?: string;
  title?: string;
  /** More of it follows; its end is in sight, and it gets its colours when it is whole. */
  open?: boolean;
}

export function CodeBlock({ code, language = "", title = "", open = false }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const highlighted = useHighlighted(code, language, open);
  const shown = open ? code.split("\n").slice(-OPEN_LINES_MAX).join("\n") : code;
  const name = title || language;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is shown
  useLayoutEffect(() => {
    if (open && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [open, shown]);
  return (
    <figure className="code-block">
      <figcaption>
        <span className={title ? "code-title" : undefined}>{name || "text"}</span>
        <CopyButton text={code} what="code" />
      </figcaption>
      <Scroll ref={place} className="code-text" label={name ? `Code: ${name}` : "Code"}>
        <CodeLines code={shown} highlighted={highlighted} />
      </Scroll>
    </figure>
  );
}
