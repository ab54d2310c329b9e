import { BellOff, ChevronRight, type LucideIcon, MoreHorizontal, Users } from "lucide-react";
import type { ComponentProps } from "react";
import { Link } from "wouter";
import type { RowChat } from "@/api/chats/chats";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/text/words";
import { ago, moment } from "@/lib/time";
import { IconButton } from "@/ui/IconButton";
import { ContextMenu, Menu, type MenuItem } from "@/ui/overlay/Menu";
import { Spinner } from "@/ui/Spinner";
import { StatusIcon } from "./StatusIcon";
import { ownerOf, subtitleOf } from "./subtitle";
import { useTurnLabel } from "./useTurnLabel";

export interface ChatRowProps {
  chat: RowChat;
  href: string;
  isOpen: boolean;
  items: readonly MenuItem[];
  /** Its menu is opened. */
  onMenu?: () => void;
  /** Something is done to it, and has not come to its end. */
  isBusy: boolean;
  /** Whether the chats that work for it are shown; null: there are none. */
  isExpanded?: boolean | null;
  onExpand?: () => void;
  /** What it can be dragged by. */
  handle?: ComponentProps<"div">;
}

export function ChatRow(props: ChatRowProps) {
  const { chat, items, isOpen, isExpanded = null } = props;
  const name = chat.title || "New chat";
  return (
    <ContextMenu items={items} onOpen={props.onMenu}>
      <div
        {...props.handle}
        className={classes(
          "group relative flex items-center rounded-lg",
          isOpen ? "bg-hover" : "focus-within:bg-hover/60 hover:bg-hover/60",
        )}
      >
        <RowLink {...props} />
        {isExpanded !== null && (
          <IconButton
            icon={ChevronRight}
            label={`${isExpanded ? "Hide" : "Show"} ${plural(chat.children.count, "agent")} of ${name}`}
            aria-expanded={isExpanded}
            size="small"
            iconSize={13}
            hint={false}
            onClick={props.onExpand}
            className={classes("absolute top-6 left-1 size-6", isExpanded && "[&>svg]:rotate-90")}
          />
        )}
        {items.length > 0 && (
          <Menu items={items} onOpen={props.onMenu}>
            <IconButton
              icon={MoreHorizontal}
              label={`Actions for ${name}`}
              size="small"
              hint={false}
              className={classes(
                "absolute top-1 right-1.5 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:hidden",
                !isOpen && "opacity-0",
              )}
            />
          </Menu>
        )}
      </div>
    </ContextMenu>
  );
}

function RowLink({ chat, href, isOpen, isBusy }: ChatRowProps) {
  const label = useTurnLabel(chat);
  const isUnread = chat.has_unread && !isOpen;
  return (
    <Link
      href={href}
      aria-current={isOpen ? "page" : undefined}
      data-chat={chat.id}
      className="flex min-w-0 flex-1 items-start gap-2.5 rounded-lg py-2 pr-2 pl-2.5"
    >
      <span className="flex h-5 items-center">
        {isBusy ? <Spinner className="text-muted" /> : <StatusIcon status={chat.status} />}
      </span>
      <span className="min-w-0 flex-1">
        <span className={classes("block truncate text-sm leading-5", isUnread && "font-semibold")}>
          {chat.title || "New chat"}
        </span>
        <span
          className={classes(
            "block truncate text-xs leading-4",
            chat.status === "error" ? "text-bad" : "text-muted",
          )}
        >
          {chat.access !== "owner" && `${ownerOf(chat)} · `}
          {subtitleOf({ ...chat, last_turn_summary: label })}
          {"\u00a0"}
        </span>
      </span>
      <span className="flex w-9 shrink-0 flex-col items-end gap-1.5 pt-0.5">
        <time
          dateTime={chat.updated_at}
          title={moment(chat.updated_at)}
          className={classes(
            "text-xs leading-4 text-muted group-focus-within:opacity-0 group-hover:opacity-0 pointer-coarse:opacity-100",
            isOpen && "opacity-0",
          )}
        >
          {ago(chat.updated_at)}
        </time>
        <span className="flex h-3 items-center gap-1">
          {chat.shared && <Sign icon={Users} says="Shared" />}
          {chat.muted && <Sign icon={BellOff} says="Muted" />}
          {isUnread && (
            <span className={classes("size-2 rounded-full", chat.muted ? "bg-muted" : "bg-accent")}>
              <span className="sr-only">Unread</span>
            </span>
          )}
        </span>
      </span>
    </Link>
  );
}

function Sign({ icon: Icon, says }: { icon: LucideIcon; says: string }) {
  return (
    <>
      <Icon aria-hidden size={12} className="text-muted" />
      <span className="sr-only">{says}</span>
    </>
  );
}
