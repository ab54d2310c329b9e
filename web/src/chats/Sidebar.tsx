import { DatabaseZap, PanelLeftClose, Search, SquarePen } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { type Filters, useChatDetails } from "@/api/chats/chats";
import { keysOf } from "@/lib/browser/shortcuts";
import { useKept } from "@/lib/kept/useKept";
import { useListState } from "@/live/listState";
import { IconButton } from "@/ui/IconButton";
import { FilterButton } from "./FilterButton";
import { filtersOf, searchOf } from "./filters";
import type { Rows } from "./list/ChatFamily";
import { ChatList } from "./list/ChatList";
import type { Grouping } from "./list/sections";
import { useNeighbours } from "./list/useNeighbours";
import { Offers } from "./Offers";
import { useChatActions } from "./useChatActions";

interface SidebarProps {
  openId: string | null;
  /** Null for who starts none. */
  onNew: (() => void) | null;
  onSearch: () => void;
  /** Null where there is nothing beside it. */
  onCollapse: (() => void) | null;
  footer: ReactNode;
}

/** The list of chats, with what starts, finds and filters them. */
export function Sidebar({ openId, onNew, onSearch, onCollapse, footer }: SidebarProps) {
  const [location, navigate] = useLocation();
  const filters = filtersOf(useSearch());
  const show = (next: Filters) => navigate(location + searchOf(next), { replace: true });
  const [grouping, setGrouping] = useKept<Grouping>("list.grouping", "date");
  // Where the list is the whole page, this is what the page is called.
  const Brand = onCollapse ? "span" : "h1";
  const { itemsFor, busyIds, dialogs } = useChatActions(
    (gone) => gone === openId && navigate(`/${searchOf(filters)}`),
  );
  const list = useRef<HTMLDivElement>(null);
  useNeighbours(list);
  const rows: Rows = {
    hrefOf: (chatId) => `/chats/${chatId}${searchOf(filters)}`,
    openId,
    openParentId: useChatDetails(openId).data?.parent_chat_id ?? null,
    itemsFor,
    busyIds,
  };
  return (
    <nav aria-label="Chats" className="flex h-full min-h-0 flex-col bg-side">
      <header className="flex items-center gap-0.5 px-2 pt-2 pb-1">
        <Brand className="flex-1 pl-2.5 font-semibold tracking-tight">chatd</Brand>
        <IconButton icon={Search} label="Search" shortcut={keysOf("palette")} onClick={onSearch} />
        <FilterButton
          filters={filters}
          grouping={grouping}
          onApply={(next, wanted) => {
            setGrouping(wanted);
            show(next);
          }}
        />
        {onNew && (
          <IconButton icon={SquarePen} label="New chat" shortcut={keysOf("newChat")} onClick={onNew} />
        )}
        {onCollapse && (
          <IconButton
            icon={PanelLeftClose}
            label="Hide the list"
            shortcut={keysOf("sidebar")}
            onClick={onCollapse}
          />
        )}
      </header>
      <Paused />
      <Offers
        onAccepted={(chatId) => navigate(`/chats/${chatId}${searchOf({ ...filters, shared: false })}`)}
      />
      <div ref={list} className="min-h-0 flex-1 overflow-y-auto px-2 pt-1">
        <ChatList filters={filters} grouping={grouping} rows={rows} onShow={show} />
      </div>
      <footer className="border-t border-line p-2">{footer}</footer>
      {dialogs}
    </nav>
  );
}

/** Nobody is left to wonder why nothing moves. */
function Paused() {
  if (!useListState().isPaused) return null;
  return (
    <p
      role="status"
      className="mx-2 mt-1 flex items-center gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-xs"
    >
      <DatabaseZap aria-hidden size={14} className="shrink-0 text-warn" />
      The server cannot reach its database. This list may be out of date.
    </p>
  );
}
