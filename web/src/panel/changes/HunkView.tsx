import { useState } from "react";
import { classes } from "@/lib/classes";
import { visible } from "@/lib/text/visible";
import type { DiffLine } from "@/ui/diff/parse";
import { type Hunk, splitRows } from "./hunks";
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

/** One place of a file that is different. Long ones are shown in part. */
export function HunkView({ hunk, layout }: { hunk: Hunk; layout: Layout }) {
  const [isOpen, setOpen] = useState(true);
  const [isWhole, setWhole] = useState(false);
  const lines = isWhole ? hunk.lines : hunk.lines.slice(0, LINES_FIRST);
  const left = hunk.lines.length - lines.length;
  const where = hunk.first === hunk.last ? `Line ${hunk.first}` : `Lines ${hunk.first} to ${hunk.last}`;
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-baseline gap-2 px-3 py-1 text-left text-xs text-muted hover:bg-hover"
      >
        {where}
        <span className="min-w-0 flex-1 truncate font-mono">{visible(hunk.within)}</span>
      </button>
      {isOpen && (
        <section
          aria-label={where}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          className="overflow-x-auto pb-1"
        >
          <table className="w-full border-collapse font-mono text-xs leading-5">
            <tbody>{layout === "split" ? <Split lines={lines} /> : <Unified lines={lines} />}</tbody>
          </table>
          {left > 0 && (
            <button type="button" className="px-3 py-1 text-xs text-accent" onClick={() => setWhole(true)}>
              Show {left.toLocaleString()} more lines
            </button>
          )}
        </section>
      )}
    </div>
  );
}

function Unified({ lines }: { lines: readonly DiffLine[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
    <tr key={index} className={LOOKS[line.kind]}>
      <LineNumber>{line.before}</LineNumber>
      <LineNumber>{line.after}</LineNumber>
      <Words line={line} />
    </tr>
  ));
}

function Split({ lines }: { lines: readonly DiffLine[] }) {
  return splitRows(lines).map(({ before, after }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
    <tr key={index}>
      <LineNumber look={before && LOOKS[before.kind]}>{before?.before}</LineNumber>
      <Words line={before} look={before ? LOOKS[before.kind] : "bg-sunken"} wrap />
      <LineNumber look={after && LOOKS[after.kind]}>{after?.after}</LineNumber>
      <Words line={after} look={after ? LOOKS[after.kind] : "bg-sunken"} wrap />
    </tr>
  ));
}

function LineNumber({ children, look }: { children: number | null | undefined; look?: string | null }) {
  return (
    <td
      className={classes("w-px min-w-8 px-2 text-right align-top text-muted tabular-nums select-none", look)}
    >
      {children}
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
