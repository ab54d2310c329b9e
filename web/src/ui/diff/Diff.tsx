/** The changes of some files, one below the other. Long ones scroll inside and are drawn in part. */

import { useState } from "react";
import { visible } from "@/lib/text/visible";
import { Scroll } from "@/ui/Group";

import { type DiffLine, type FileDiff, parseDiff } from "./parse";
import "./diff.css";

const LINES_FIRST = 200;
const LINES_MORE = 1_000;
const LINE_CHARACTERS_MAX = 2_000;
const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "−",
  same: " ",
  hunk: "",
  note: "",
};

export function Diff({ diff, paths = true }: { diff: string; paths?: boolean }) {
  const files = parseDiff(diff);
  if (files.length > 0) return <FileDiffs files={files} paths={paths} />;
  return <p className="text-sm break-words whitespace-pre-wrap text-muted">{visible(diff)}</p>;
}

export function FileDiffs({ files, paths = true }: { files: readonly FileDiff[]; paths?: boolean }) {
  return files.map((file, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a file may be in a diff twice
    <ShowFile key={index} file={file} path={paths} />
  ));
}

function ShowFile({ file, path }: { file: FileDiff; path: boolean }) {
  const [shown, setShown] = useState(LINES_FIRST);
  const left = file.lines.length - shown;
  return (
    <figure className="diff">
      {path && (
        <figcaption>
          <span className="diff-path">{visible(file.path)}</span>
          <Counts added={file.added} removed={file.removed} />
        </figcaption>
      )}
      <Scroll className="diff-lines" label={`Changes of ${file.path}`}>
        <table>
          <tbody>
            {file.lines.slice(0, shown).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
              <ShowLine key={index} line={line} />
            ))}
          </tbody>
        </table>
        {left > 0 && (
          <button type="button" className="code-more" onClick={() => setShown(shown + LINES_MORE)}>
            Show {Math.min(left, LINES_MORE).toLocaleString()} more lines
          </button>
        )}
      </Scroll>
    </figure>
  );
}

function ShowLine({ line }: { line: DiffLine }) {
  return (
    <tr className={`diff-${line.kind}`}>
      <td className="diff-number">{line.before}</td>
      <td className="diff-number">{line.after}</td>
      <td className="diff-sign">{SIGNS[line.kind]}</td>
      <td className="diff-text">{visible(line.text.slice(0, LINE_CHARACTERS_MAX))}</td>
    </tr>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="shrink-0 text-xs tabular-nums">
      <span className="text-good">+{added.toLocaleString()}</span>{" "}
      <span className="text-bad">−{removed.toLocaleString()}</span>
    </span>
  );
}
