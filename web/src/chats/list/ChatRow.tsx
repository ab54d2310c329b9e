import { MoreHorizontal } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import type { RowChat } from "@/api/chats/chats";
import { classes } from "@/lib/classes";
import { ago, moment } from "@/lib/time";
import { IconButton } from "@/ui/IconButton";
import { ContextMenu, Menu, type MenuItem } from "@/ui/overlay/Menu";
import { StatusIcon } from "./StatusIcon";
import { subtitleOf } from "./subtitle";

interface ChatRowProps {
  chat: RowChat;
  href: string;
  isOpen: boolean;
  items: readonly MenuItem[];
}

export const ChatRow = memo(function ChatRow({ chat, href, isOpen, items }: ChatRowProps) {
  const isUnread = chat.has_unread && !isOpen;
  return (
    <ContextMenu items={items}>
      <li
        className={classes(
          "group relative flex items-center rounded-lg",
          isOpen ? "bg-hover" : "focus-within:bg-hover/60 hover:bg-hover/60",
        )}
      >
        <Link
          href={href}
          aria-current={isOpen ? "page" : undefined}
          data-chat={chat.id}
          className="flex min-w-0 flex-1 items-start gap-2.5 rounded-lg py-2 pr-2 pl-2.5"
        >
          <span className="flex h-5 items-center">
            <StatusIcon status={chat.status} />
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
              {subtitleOf(chat)}
              {"\u00a0"}
            </span>
          </span>
          <span className="flex w-9 shrink-0 flex-col items-end gap-1.5 pt-0.5">
            <time
              dateTime={chat.updated_at}
              title={moment(chat.updated_at)}
              className="text-xs leading-4 text-muted group-focus-within:opacity-0 group-hover:opacity-0 pointer-coarse:opacity-100"
            >
              {ago(chat.updated_at)}
            </time>
            {isUnread && (
              <span className="size-2 rounded-full bg-accent">
                <span className="sr-only">Unread</span>
              </span>
            )}
          </span>
        </Link>
        <Menu items={items}>
          <IconButton
            icon={MoreHorizontal}
            label={`Actions for ${chat.title || "New chat"}`}
            size="small"
            hint={false}
            className="absolute top-1 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:hidden"
          />
        </Menu>
      </li>
    </ContextMenu>
  );
});
