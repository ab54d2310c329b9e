import { Bot } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { type Deeds, useChatPermits } from "@/api/accounts/permits";
import { type RowChat, rowOf, useChildren } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/text/words";
import { Button } from "@/ui/Button";
import type { MenuItem } from "@/ui/overlay/Menu";
import { Spinner } from "@/ui/Spinner";
import { hasBusyChild, isAtRest } from "../activity";
import { ChatRow, type ChatRowProps } from "./ChatRow";

export const ROW_LIST = "flex flex-col gap-px";

/** What all rows of a list have in common. */
export interface Rows {
  hrefOf: (chatId: string) => string;
  openId: string | null;
  /** The chat that the open one works for. */
  openParentId: string | null;
  itemsFor: (chat: RowChat, kin: "root" | "child", deeds: Deeds) => readonly MenuItem[];
  busyIds: ReadonlySet<string>;
}

interface ChatFamilyProps {
  chat: RowChat;
  rows: Rows;
  /** What is in its menu beside what is there for all. */
  moreItems?: readonly MenuItem[];
  item?: ComponentProps<"li">;
  handle?: ChatRowProps["handle"];
}

/** A chat in a list, and the chats that work for it. */
export function ChatFamily({ chat, rows, moreItems = [], item, handle }: ChatFamilyProps) {
  const { isExpanded, toggle } = useExpanded(chat, rows);
  const [isAsked, setAsked] = useState(false);
  const deeds = useChatPermits(chat, isAsked);
  const hasChildren = chat.children.count > 0;
  const label = `${isExpanded ? "Hide" : "Show"} ${plural(chat.children.count, "agent")}`;
  const own: MenuItem[] = hasChildren ? [{ label, icon: Bot, onSelect: toggle }] : [];
  return (
    <li {...item}>
      <ChatRow
        {...rowProps(chat, rows)}
        items={[...moreItems, ...own, ...rows.itemsFor(chat, "root", deeds)]}
        onMenu={() => setAsked(true)}
        isExpanded={hasChildren ? isExpanded : null}
        onExpand={toggle}
        handle={handle}
      />
      {hasChildren && isExpanded && <ChildRows parent={chat} rows={rows} />}
    </li>
  );
}

function ChildRows({ parent, rows }: { parent: RowChat; rows: Rows }) {
  const { data, error, refetch } = useChildren(parent.id, parent.children.count, parent.children.at_work > 0);
  if (error && !data) {
    return (
      <p role="alert" className="py-1 pl-9 text-xs">
        {sentence(error)}{" "}
        <Button size="small" look="quiet" onClick={() => void refetch()}>
          Try again
        </Button>
      </p>
    );
  }
  if (!data) return <Spinner label="Loading agents" className="my-1 ml-9 text-muted" />;
  // In the order in which they began: it does not change while they work.
  const children = data.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(rowOf);
  return (
    <ul
      aria-label={`Agents of ${parent.title}`}
      className={classes(ROW_LIST, "ml-4 border-l border-line pl-1")}
    >
      {children.map((chat) => (
        <ChildRow key={chat.id} chat={chat} rows={rows} />
      ))}
    </ul>
  );
}

function ChildRow({ chat, rows }: { chat: RowChat; rows: Rows }) {
  const [isAsked, setAsked] = useState(false);
  const deeds = useChatPermits(chat, isAsked);
  return (
    <li>
      <ChatRow
        {...rowProps(chat, rows)}
        items={chat.archived ? [] : rows.itemsFor(chat, "child", deeds)}
        onMenu={() => setAsked(true)}
      />
    </li>
  );
}

function rowProps(chat: RowChat, { hrefOf, openId, busyIds }: Rows) {
  return { chat, href: hrefOf(chat.id), isOpen: chat.id === openId, isBusy: busyIds.has(chat.id) };
}

/**
 * Open for a chat that works for it and is on screen, and for one that works while it rests itself; else as
 * somebody has chosen. A choice is over when another of these chats is opened.
 */
function useExpanded({ id, status, children }: RowChat, { openId, openParentId }: Rows) {
  const [chosen, setChosen] = useState<{ is: boolean; at: string | null } | null>(null);
  const openChild = openParentId === id ? openId : null;
  const counts = chosen !== null && (openChild === null || chosen.at === openChild);
  const isExpanded = counts ? chosen.is : openChild !== null || (isAtRest(status) && hasBusyChild(children));
  return { isExpanded, toggle: () => setChosen({ is: !isExpanded, at: openChild }) };
}
