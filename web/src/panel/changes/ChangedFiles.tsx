import type { Changes, Span } from "@/api/chats/changes";
import { plural } from "@/lib/text/words";
import { Counts } from "@/ui/diff/Diff";
import { changed, parseDiff } from "@/ui/diff/parse";
import { Nothing } from "../Asked";
import { ChangedFileView } from "./ChangedFileView";
import type { Layout } from "./LayoutSwitch";
import type { ChangingTurn } from "./turns";

interface ChangedFilesProps {
  chatId: string;
  span: Span;
  changes: Changes;
  layout: Layout;
  /** The one before which a file can be brought back. */
  turn: ChangingTurn;
}

/** With few files all of them are open. */
const OPEN_MAX = 8;

export function ChangedFiles({ chatId, span, changes, layout, turn }: ChangedFilesProps) {
  const diffs = parseDiff(changes.diff);
  if (changes.files.length === 0)
    return <Nothing>Nothing is different: what was changed is as it was before.</Nothing>;
  return (
    <div className="flex flex-col gap-3 p-3">
      <p className="flex items-center justify-between gap-2 text-sm text-muted">
        {plural(changes.files.length + changes.more_files, "file")} changed
        {!changes.too_long && <Counts {...changed(diffs)} />}
      </p>
      {changes.incomplete && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          Files of a step in between were not kept, so changes may be missing here, or be of other steps.
        </p>
      )}
      {changes.files.map((file) => (
        <ChangedFileView
          key={file.path}
          chatId={chatId}
          file={file}
          diff={diffs.find((diff) => diff.path === file.path) ?? null}
          // A diff that is too long as a whole is read file by file.
          span={changes.too_long ? { ...span, path: file.path } : null}
          layout={layout}
          turn={turn}
          isOpenAtFirst={!changes.too_long && changes.files.length <= OPEN_MAX}
        />
      ))}
      {changes.more_files > 0 && (
        <p className="text-sm text-muted">{plural(changes.more_files, "more file")} not listed.</p>
      )}
    </div>
  );
}
