import { MessageSquarePlus } from "lucide-react";
import { useState } from "react";
import { classes } from "@/lib/classes";
import { visible } from "@/lib/text/visible";
import type { DiffLine } from "@/ui/diff/parse";
import { IconButton } from "@/ui/IconButton";
import { CommentForm } from "./CommentForm";
import { type Excerpt, excerptOf, type Hunk, splitRows } from "./hunks";
import type { Layout } from "./LayoutSwitch";

const LINES_FIRST = 300;
const LINE_CHARACTERS_MAX = 2_000;

const LOOKS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "bg-good-soft",
  removed: "bg-bad-soft",
  same: "",
  hunk: "",
  note: "text-muted italic",
};

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "−",
  same: "",
  hunk: "",
  note: "",
};

export interface HunkViewProps {
  hunk: Hunk;
  layout: Layout;
  /** Null: there is no message that comments could go with. */
  onComment: ((excerpt: Excerpt, comment: string) => void) | null;
}

/** The ends of what is commented on. */
type Marked = readonly [DiffLine, DiffLine] | null;

/** One place of a file that is different. Long ones are shown in part. */
export function HunkView({ hunk, layout, onComment }: HunkViewProps) {
  const [isOpen, setOpen] = useState(true);
  const [isWhole, setWhole] = useState(false);
  const [marked, setMarked] = useState<Marked>(null);
  const lines = isWhole ? hunk.lines : hunk.lines.slice(0, LINES_FIRST);
  const left = hunk.lines.length - lines.length;
  const where = placeOf(hunk);
  const excerpt = marked && excerptOf(hunk.lines, ...marked);
  const [first, last] = [lines[0], lines.at(-1)];
  const Lines = layout === "split" ? Split : Unified;
  return (
    <div className="border-t border-line">
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-baseline gap-2 px-3 py-1 text-left text-xs text-muted hover:bg-hover"
        >
          {where}
          <span className="min-w-0 flex-1 truncate font-mono">{visible(hunk.within)}</span>
        </button>
        {isOpen && onComment && first && last && (
          <IconButton
            icon={MessageSquarePlus}
            size="small"
            label={`Comment on ${where.toLowerCase()}`}
            onClick={() => setMarked([first, last])}
          />
        )}
      </div>
      {isOpen && (
        <section
          aria-label={where}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          className="overflow-x-auto pb-1"
        >
          <table className="w-full border-collapse font-mono text-xs leading-5">
            <tbody>
              <Lines
                lines={lines}
                onMark={
                  onComment &&
                  ((line, isMore) => setMarked(isMore && marked ? [marked[0], line] : [line, line]))
                }
              />
            </tbody>
          </table>
          {left > 0 && (
            <button type="button" className="px-3 py-1 text-xs text-accent" onClick={() => setWhole(true)}>
              Show {left.toLocaleString()} more lines
            </button>
          )}
        </section>
      )}
      {excerpt && onComment && (
        <CommentForm
          about={placeOf(excerpt).toLowerCase()}
          onAdd={(comment) => {
            onComment(excerpt, comment);
            setMarked(null);
          }}
          onCancel={() => setMarked(null)}
        />
      )}
    </div>
  );
}

function placeOf({ first, last }: { first: number; last: number }): string {
  return first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
}

interface LinesProps {
  lines: readonly DiffLine[];
  onMark: OnMark;
}

/** `isMore`: up to this line, from the one that was marked before. */
type OnMark = ((line: DiffLine, isMore: boolean) => void) | null;

function Unified({ lines, onMark }: LinesProps) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
    <tr key={index}>
      <LineNumber line={line} number={line.before} onMark={onMark} look={LOOKS[line.kind]} />
      <LineNumber line={line} number={line.after} onMark={onMark} look={LOOKS[line.kind]} />
      <Words line={line} look={LOOKS[line.kind]} />
    </tr>
  ));
}

function Split({ lines, onMark }: LinesProps) {
  return splitRows(lines).map(({ before, after }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
    <tr key={index}>
      <LineNumber line={before} number={before?.before} onMark={onMark} look={before && LOOKS[before.kind]} />
      <Words line={before} look={before ? LOOKS[before.kind] : "bg-sunken"} wrap />
      <LineNumber line={after} number={after?.after} onMark={onMark} look={after && LOOKS[after.kind]} />
      <Words line={after} look={after ? LOOKS[after.kind] : "bg-sunken"} wrap />
    </tr>
  ));
}

interface LineNumberProps {
  line: DiffLine | null;
  number: number | null | undefined;
  onMark: OnMark;
  look?: string | null;
}

/** Pressed, the line is commented on; with Shift, the lines up to it. By keyboard the whole place can be. */
function LineNumber({ line, number, onMark, look }: LineNumberProps) {
  return (
    <td
      className={classes("w-px min-w-8 px-2 text-right align-top text-muted tabular-nums select-none", look)}
    >
      {line && number && onMark ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Comment on line ${number}`}
          onClick={(event) => onMark(line, event.shiftKey)}
          className="hover:text-accent"
        >
          {number}
        </button>
      ) : (
        number
      )}
    </td>
  );
}

function Words({ line, look, wrap }: { line: DiffLine | null; look?: string; wrap?: boolean }) {
  return (
    <td
      className={classes(
        "px-2 align-top",
        wrap ? "w-1/2 break-all whitespace-pre-wrap" : "whitespace-pre",
        look,
      )}
    >
      {line && (
        <>
          <span className="inline-block w-4 text-muted select-none">{SIGNS[line.kind]}</span>
          {visible(line.text.slice(0, LINE_CHARACTERS_MAX))}
        </>
      )}
    </td>
  );
}
