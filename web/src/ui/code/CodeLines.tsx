/** Lines of code or output, within bounds: a few hundred at first, more on request, and no endless line. */
import { memo, useState } from "react";

import { visible } from "@/lib/text/visible";

import type { Line } from "./highlight";

const LINES_FIRST = 300;
const LINES_MORE = 2_000;
const LINE_CHARACTERS_MAX = 4_000;

interface Props {
  code: string;
  highlighted?: Line[] | null;
  /** The number of the first line; left out: lines have no numbers. */
  first?: number;
}

export function CodeLines({ code, highlighted, first }: Props) {
  const [shown, setShown] = useState(LINES_FIRST);
  const lines = code.split("\n");
  const left = lines.length - shown;
  return (
    <>
      <code>
        {lines.slice(0, shown).map((line, index) => (
          <ShowLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            key={index}
            line={line}
            pieces={highlighted?.[index]}
            number={first === undefined ? undefined : first + index}
          />
        ))}
      </code>
      {left > 0 && (
        <button type="button" className="code-more" onClick={() => setShown(shown + LINES_MORE)}>
          Show {Math.min(left, LINES_MORE).toLocaleString()} more lines of {lines.length.toLocaleString()}
        </button>
      )}
    </>
  );
}

interface LineProps {
  line: string;
  pieces?: Line;
  number?: number;
}

const ShowLine = memo(function ShowLine({ line, pieces, number }: LineProps) {
  return (
    <span className="code-line">
      {number !== undefined && <span className="code-number">{number}</span>}
      {pieces === undefined ? cut(line) : pieces.map(showPiece)}
      {"\n"}
    </span>
  );
});

function showPiece({ text, kind }: Line[number], index: number) {
  return (
    <span key={index} className={kind || undefined}>
      {visible(text)}
    </span>
  );
}

function cut(line: string): string {
  if (line.length <= LINE_CHARACTERS_MAX) return visible(line);
  const left = line.length - LINE_CHARACTERS_MAX;
  return `${visible(line.slice(0, LINE_CHARACTERS_MAX))} … (${left.toLocaleString()} more characters)`;
}
