import { memo, useMemo, useRef } from "react";
import { useFollow } from "@/lib/browser/useFollow";
import { moment } from "@/lib/time";
import { type Row, rowsOf } from "@/live/rows/rows";
import { Blocks } from "@/parts/Blocks";
import { Older, ToNewest } from "@/parts/edges";
import { type Surroundings, SurroundingsContext } from "@/tools/actions";
import type { Guest } from "./store";
import { asChatView } from "./view";

/** What cards can ask of this chat: nothing. */
const READING: Surroundings = {
  actions: null,
  mayApprove: false,
  children: {},
  fates: {},
  chatHref: () => "/",
  isForGuests: true,
};

interface GuestTranscriptProps {
  guest: Guest;
  isLive: boolean;
  onOlder: () => void;
}

/** Everything that was said and is shown, the newest at the bottom. */
export function GuestTranscript({ guest, isLive, onOlder }: GuestTranscriptProps) {
  const { view, older } = guest;
  const rows = useMemo(() => rowsOf(asChatView(view, isLive)), [view, isLive]);
  const scroller = useRef<HTMLDivElement>(null);
  const { isFollowing, toBottom } = useFollow(scroller, null);
  return (
    <main className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label="Messages"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain focus-visible:outline-offset-[-2px]"
      >
        <div className="pt-4 pb-8">
          {view.before !== null && <Older state={older} onLoad={onOlder} />}
          {rows.length === 0 && <p className="p-8 text-center text-muted">There is nothing to read here.</p>}
          <SurroundingsContext value={READING}>
            {rows.map((row) => (
              <GuestRow key={row.key} row={row} />
            ))}
          </SurroundingsContext>
        </div>
      </div>
      {!isFollowing && <ToNewest onClick={toBottom} />}
    </main>
  );
}

const GuestRow = memo(function GuestRow({ row }: { row: Row }) {
  const isUser = row.role === "user";
  const isLive = row.message === null;
  const blocks = <Blocks blocks={row.blocks} chatId="" role={row.role} live={isLive} />;
  const at = row.message && <time dateTime={row.message.created_at}>{moment(row.message.created_at)}</time>;
  return (
    <div className="mx-auto w-full max-w-(--chat-width) px-4 py-2">
      <article
        aria-label={isUser ? "User" : "Agent"}
        aria-busy={isLive}
        className={isUser ? "flex flex-col items-end" : undefined}
      >
        {isUser ? (
          <div className="max-w-[85%] rounded-2xl rounded-br-md bg-sunken px-4 py-2.5">{blocks}</div>
        ) : (
          <div className="flex flex-col gap-2">{blocks}</div>
        )}
        <p className="pt-1 text-xs text-muted">{at}</p>
      </article>
    </div>
  );
});
