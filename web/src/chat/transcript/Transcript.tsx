import { type Ref, useMemo, useRef } from "react";
import { type CustomContainerComponentProps, Virtualizer, type VirtualizerHandle } from "virtua";
import type { Deeds } from "@/api/accounts/permits";
import { useFollow } from "@/lib/browser/useFollow";
import { type Row, rowsOf } from "@/live/rows/rows";
import { storeOf } from "@/live/store";
import { useAuthors } from "@/live/useAuthors";
import { useChat } from "@/live/useChat";
import { Older, ToNewest } from "@/parts/edges";
import { SurroundingsContext } from "@/tools/actions";
import { StatusCallout } from "../notices/StatusCallout";
import { useSurroundingsOf } from "../useSurroundings";
import { branchPoints } from "./branches";
import { MessageRow } from "./MessageRow";
import { SendingRow } from "./SendingRow";
import { Thinking } from "./Thinking";
import { useAround } from "./useAround";
import { useBranchList } from "./useBranchList";

interface TranscriptProps {
  chatId: string;
  isReadOnly: boolean;
  deeds: Deeds;
}

/** Everything that was said, the newest at the bottom. Only what is in sight is drawn. */
export function Transcript({ chatId, isReadOnly, deeds }: TranscriptProps) {
  const live = useChat(chatId);
  const { view } = live;
  const rows = useMemo(() => rowsOf(view), [view]);
  const branches = useBranchList(chatId, view.details);
  const points = useMemo(() => branchPoints(branches, view.messages), [branches, view.messages]);
  const surroundings = useSurroundingsOf(chatId, view, rows, {
    isReadOnly,
    mayApprove: deeds.has("chat.approve"),
  });
  const mayRewrite = deeds.has("chat.rewrite");
  const isPrepended = usePrepended(rows);
  const scroller = useRef<HTMLDivElement>(null);
  const loadOlder = view.olderThan === null || live.older !== "idle" ? null : storeOf(chatId).loadOlder;
  const { isFollowing, toBottom, stay } = useFollow(scroller, loadOlder);
  const list = useRef<VirtualizerHandle>(null);
  const authors = useAuthors(chatId);
  const around = useAround(rows, { list, stay, toBottom });

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label="Messages"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:outline-offset-[-2px]"
      >
        <div className="pt-4 pb-6">
          {view.olderThan !== null && (
            <Older state={live.older} onLoad={() => void storeOf(chatId).loadOlder()} />
          )}
          {rows.length === 0 && live.sending.length === 0 && (
            <p className="p-8 text-center text-muted">Nothing was said yet.</p>
          )}
          <SurroundingsContext value={surroundings}>
            <Virtualizer
              ref={list}
              as={Rows}
              scrollRef={scroller}
              shift={isPrepended}
              bufferSize={600}
              data={rows}
            >
              {(row: Row) => (
                <MessageRow
                  key={row.key}
                  chatId={chatId}
                  row={row}
                  isLive={row.message === null}
                  mayEdit={mayRewrite && !isReadOnly}
                  around={around}
                  author={authors(row.message?.created_by)}
                  point={mayRewrite ? points.get(row.message?.id ?? 0) : undefined}
                />
              )}
            </Virtualizer>
          </SurroundingsContext>
          {live.sending.map((sending) => (
            <SendingRow key={sending.key} chatId={chatId} sending={sending} />
          ))}
          <div className="mx-auto max-w-(--chat-width) px-4">
            <Thinking view={view} rows={rows} />
            <StatusCallout chatId={chatId} view={view} deeds={deeds} />
          </div>
        </div>
      </div>
      {!isFollowing && <ToNewest onClick={toBottom} />}
    </div>
  );
}

/**
 * Around the rows. The virtualizer would keep the pointer from them while they scroll, which they do for as long as
 * the agent speaks; and each change of that costs a new look at the style of every element.
 */
function Rows({ style, ...others }: CustomContainerComponentProps & { ref?: Ref<HTMLDivElement> }) {
  return <div {...others} style={{ ...style, pointerEvents: undefined }} />;
}

/** Whether rows were added at the beginning since the last time: then what is in sight stays where it is. */
function usePrepended(rows: readonly Row[]): boolean {
  const last = useRef<{ first: string | undefined; count: number; is: boolean }>({
    first: undefined,
    count: 0,
    is: false,
  });
  const first = rows[0]?.key;
  const before = last.current;
  if (before.first !== first || before.count !== rows.length) {
    const is = before.first !== undefined && before.first !== first && rows.length > before.count;
    last.current = { first, count: rows.length, is };
  }
  return last.current.is;
}
