import { ChevronDown, ChevronRight, History } from "lucide-react";
import { useState } from "react";
import { type ChangedFile, type Span, useChanges } from "@/api/chats/changes";
import { classes } from "@/lib/classes";
import { addReference, REFERENCES_MAX } from "@/lib/kept/draft";
import { visible } from "@/lib/text/visible";
import { useDeeds } from "@/live/useDeeds";
import { useReadOnly } from "@/live/useReadOnly";
import { Counts } from "@/ui/diff/Diff";
import { type FileDiff, parseDiff } from "@/ui/diff/parse";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { Asked } from "../Asked";
import { HunkView, type HunkViewProps } from "./HunkView";
import { type Excerpt, hunksOf } from "./hunks";
import type { Layout } from "./LayoutSwitch";
import { RestoreDialog } from "./RestoreDialog";
import type { ChangingTurn } from "./turns";

const DEEDS: Readonly<Record<ChangedFile["deed"], { word: string; look: string }>> = {
  added: { word: "New", look: "text-good" },
  changed: { word: "Changed", look: "text-muted" },
  removed: { word: "Deleted", look: "text-bad" },
};

interface ChangedFileViewProps {
  chatId: string;
  file: ChangedFile;
  /** Null: it has no lines, or they are read when it is opened. */
  diff: FileDiff | null;
  /** Where its own diff is read from, if that is needed. */
  span: Span | null;
  layout: Layout;
  /** The one before which it can be brought back. */
  turn: ChangingTurn;
  isOpenAtFirst: boolean;
}

export function ChangedFileView({
  chatId,
  file,
  diff,
  span,
  layout,
  turn,
  isOpenAtFirst,
}: ChangedFileViewProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [isRestoring, setRestoring] = useState(false);
  const isReadOnly = useReadOnly(chatId) !== null;
  const mayRestore = useDeeds(chatId).has("chat.rewrite") && !isReadOnly;
  /** It goes with the next message of this chat. */
  const addComment = ({ text, ...place }: Excerpt, words: string) => {
    const isAdded = addReference(chatId, { file: file.path, ...place, lines: text, comment: words });
    toast(
      isAdded
        ? { text: "Added to your message." }
        : { text: `A message has at most ${REFERENCES_MAX} comments: send it first.`, bad: true },
    );
  };
  const comment = isReadOnly ? null : addComment;
  const deed = DEEDS[file.deed];
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <section aria-label={file.path} className="overflow-hidden rounded-lg border border-line">
      <div className="flex items-center bg-sunken">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-2 px-2 py-1.5 text-left text-[0.8125rem] hover:bg-hover"
        >
          <Arrow aria-hidden size={15} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 font-mono break-all">{visible(file.path)}</span>
          <span className={classes("shrink-0 text-xs", deed.look)}>{deed.word}</span>
          {diff && <Counts added={diff.added} removed={diff.removed} />}
        </button>
        {mayRestore && (
          <IconButton
            icon={History}
            size="small"
            label={`Restore ${visible(file.path)}`}
            onClick={() => setRestoring(true)}
          />
        )}
      </div>
      {isRestoring && (
        <RestoreDialog chatId={chatId} turn={turn} path={file.path} onClose={() => setRestoring(false)} />
      )}
      {isOpen &&
        (span ? (
          <OwnDiff chatId={chatId} span={span} layout={layout} onComment={comment} />
        ) : (
          <Hunks diff={diff} layout={layout} onComment={comment} />
        ))}
    </section>
  );
}

type HunksProps = Pick<HunkViewProps, "layout" | "onComment">;

function OwnDiff({ chatId, span, ...shown }: HunksProps & { chatId: string; span: Span }) {
  return (
    <Asked query={useChanges(chatId, span)} what="Its changes">
      {(changes) =>
        changes.too_long ? (
          <p className="p-3 text-sm text-muted">The changes of this file are too long to be shown.</p>
        ) : (
          <Hunks diff={parseDiff(changes.diff)[0] ?? null} {...shown} />
        )
      }
    </Asked>
  );
}

function Hunks({ diff, ...shown }: HunksProps & { diff: FileDiff | null }) {
  const hunks = diff ? hunksOf(diff) : [];
  if (hunks.length === 0)
    return (
      <p className="p-3 text-sm text-muted">It is empty, or it is no text: there are no lines to show.</p>
    );
  return hunks.map((hunk) => <HunkView key={`${hunk.first} ${hunk.last}`} hunk={hunk} {...shown} />);
}
