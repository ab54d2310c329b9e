import { ChevronDown } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { type Filters, useChatList } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { classes } from "@/lib/classes";
import { useKept } from "@/lib/kept/useKept";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";
import { isFiltered, NO_FILTERS } from "../filters";
import { ChatFamily, ROW_LIST, type Rows } from "./ChatFamily";
import { PinnedRows } from "./PinnedRows";
import { type Grouping, PINNED, sectionsOf } from "./sections";

interface ChatListProps {
  filters: Filters;
  grouping: Grouping;
  rows: Rows;
  /** Somebody wants to see what the filters leave out. */
  onShow: (filters: Filters) => void;
}

export function ChatList({ filters, grouping, rows, onShow }: ChatListProps) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useChatList(filters);
  const sections = useMemo(
    () => sectionsOf(data?.pages.flatMap((page) => page.chats) ?? [], new Date(), grouping),
    [data, grouping],
  );
  if (isPending) return <Skeleton />;
  if (error && !data) {
    return (
      <div role="alert" className="flex flex-col items-start gap-2 p-3 text-sm">
        <p>{sentence(error)}</p>
        <Button size="small" onClick={() => void refetch()}>
          Try again
        </Button>
      </div>
    );
  }
  if (sections.length === 0) return <NoChats filters={filters} onShow={onShow} />;
  return (
    <div className="flex flex-col gap-3 pb-4">
      {sections.map(({ name, chats }) => (
        <ListSection key={name} name={name}>
          {name === PINNED ? (
            <PinnedRows chats={chats} rows={rows} />
          ) : (
            <ul className={ROW_LIST}>
              {chats.map((chat) => (
                <ChatFamily key={chat.id} chat={chat} rows={rows} />
              ))}
            </ul>
          )}
        </ListSection>
      ))}
      {hasNextPage && <More isLoading={isFetchingNextPage} onReached={() => void fetchNextPage()} />}
    </div>
  );
}

/** What is shared with somebody is in another list, which they may not know of yet. */
function NoChats({ filters, onShow }: Pick<ChatListProps, "filters" | "onShow">) {
  const isNarrowed = isFiltered({ ...filters, shared: false });
  return (
    <div className="flex flex-col items-start gap-2 p-3 text-sm text-muted">
      <p>
        {isNarrowed
          ? "No chat fits this filter."
          : filters.shared
            ? "Nothing is shared with you."
            : "Your chats will be listed here."}
      </p>
      {isFiltered(filters) ? (
        <Button size="small" onClick={() => onShow(NO_FILTERS)}>
          {isNarrowed ? "Show all" : "Show your own chats"}
        </Button>
      ) : (
        <SharedInstead onShow={onShow} />
      )}
    </div>
  );
}

const SHARED: Filters = { ...NO_FILTERS, shared: true };

/** Only where there is something: who is alone on a server need not know of it. */
function SharedInstead({ onShow }: Pick<ChatListProps, "onShow">) {
  const isSome = (useChatList(SHARED).data?.pages[0]?.chats.length ?? 0) > 0;
  if (!isSome) return null;
  return (
    <Button size="small" onClick={() => onShow(SHARED)}>
      See what is shared with you
    </Button>
  );
}

function ListSection({ name, children }: { name: string; children: React.ReactNode }) {
  const [closed, setClosed] = useKept(`section.${name}`, false);
  return (
    <section aria-label={name}>
      <h2>
        <button
          type="button"
          aria-expanded={!closed}
          onClick={() => setClosed(!closed)}
          className="flex w-full items-center gap-1 rounded-md px-2.5 py-1 text-xs font-medium text-muted hover:text-text"
        >
          {name}
          <ChevronDown
            aria-hidden
            size={13}
            className={classes("transition-transform", closed && "-rotate-90")}
          />
        </button>
      </h2>
      {!closed && children}
    </section>
  );
}

/** Asks for the next page when it comes into sight; by keyboard it is a button. */
function More({ isLoading, onReached }: { isLoading: boolean; onReached: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const newest = useRef(onReached);
  newest.current = onReached;
  useEffect(() => {
    if (place.current === null) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && newest.current());
    seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  return (
    <div ref={place} className="flex justify-center p-2">
      {isLoading ? (
        <Spinner label="Loading more chats" />
      ) : (
        <Button size="small" look="quiet" onClick={onReached}>
          More
        </Button>
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label="Loading chats" className="flex flex-col gap-2 p-2">
      {["w-4/5", "w-3/5", "w-2/3", "w-1/2", "w-3/4"].map((width) => (
        <div key={width} className="flex animate-pulse flex-col gap-1.5 p-1.5">
          <div className={classes("h-3.5 rounded bg-hover", width)} />
          <div className="h-2.5 w-1/3 rounded bg-hover" />
        </div>
      ))}
    </div>
  );
}
