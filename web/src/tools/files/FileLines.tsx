/** Lines of a file as read_file tells them: each behind its number and a tab. */

import { CodeLines } from "@/ui/code/CodeLines";
import { languageOfPath } from "@/ui/code/languages";
import { useHighlighted } from "@/ui/code/useHighlighted";
import { Scroll } from "@/ui/Group";
import "@/ui/code/code.css";

const NUMBERED = /^(\d+)\t/;

export function FileLines({ content, path }: { content: string; path: string }) {
  const { first, text } = unnumbered(content);
  const highlighted = useHighlighted(text, languageOfPath(path), false);
  if (content === "") return <p className="text-sm text-muted">The file is empty.</p>;
  return (
    <Scroll className="code-text max-h-80 rounded-md bg-sunken" label={`Content of ${path}`}>
      <CodeLines code={text} first={first} highlighted={highlighted} />
    </Scroll>
  );
}

/** The lines without their numbers, if all of them have one. */
export function unnumbered(content: string): { first?: number; text: string } {
  const lines = content.split("\n");
  const first = NUMBERED.exec(lines[0] ?? "")?.[1];
  if (first === undefined || !lines.every((line) => NUMBERED.test(line))) return { text: content };
  return { first: Number(first), text: lines.map((line) => line.replace(NUMBERED, "")).join("\n") };
}
