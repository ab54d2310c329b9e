/** Code with its language or the name of its file, and a button that copies it. */
import { Scroll } from "@/ui/Scroll";
import { CopyButton } from "../CopyButton";
import { CodeLines } from "./CodeLines";
import "./code.css";
import { useHighlighted } from "./useHighlighted";

interface Props {
  code: string;
  language?: string;
  title?: string;
  /** More of it follows; it gets its colours at the end. */
  open?: boolean;
}

export function CodeBlock({ code, language = "", title = "", open = false }: Props) {
  const highlighted = useHighlighted(code, language, open);
  const name = title || language;
  return (
    <figure className="code-block">
      <figcaption>
        <span className={title ? "code-title" : undefined}>{name || "text"}</span>
        <CopyButton text={code} what="code" />
      </figcaption>
      <Scroll className="code-text" label={name ? `Code: ${name}` : "Code"}>
        <CodeLines code={code} highlighted={highlighted} />
      </Scroll>
    </figure>
  );
}
