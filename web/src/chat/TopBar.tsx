import { ArrowLeft, CornerLeftUp, Folder, MoreHorizontal, PanelRight } from "lucide-react";
import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { useChatDetails } from "@/api/chats/chats";
import { keysOf } from "@/lib/browser/shortcuts";
import { useIsPhone } from "@/lib/browser/useMedia";
import { visible } from "@/lib/text/visible";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";

interface TopBarProps {
  chatId: string;
  title: string;
  items: readonly MenuItem[];
  isPanelOpen: boolean;
  onPanel: () => void;
}

export function TopBar({ chatId, title, items, isPanelOpen, onPanel }: TopBarProps) {
  const isPhone = useIsPhone();
  const [, navigate] = useLocation();
  const { data } = useChatDetails(chatId);
  useEffect(() => {
    document.title = title ? `${title} · chatd` : "chatd";
    return () => {
      document.title = "chatd";
    };
  }, [title]);
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 md:px-3">
      {isPhone && (
        <IconButton
          icon={ArrowLeft}
          label="Back to the list"
          onClick={() => navigate(`/${window.location.search}`)}
        />
      )}
      {data?.parent_chat_id && (
        <Link
          href={`/chats/${data.parent_chat_id}`}
          aria-label="To the chat that this one works for"
          className="flex size-9 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
        >
          <CornerLeftUp aria-hidden size={17} />
        </Link>
      )}
      <h1 className="min-w-0 flex-1 truncate px-1.5 text-[0.9375rem] font-medium">{title || "New chat"}</h1>
      {data?.workspace && <Workspace path={data.workspace} />}
      {items.length > 0 && (
        <Menu items={items}>
          <IconButton icon={MoreHorizontal} label="Actions for this chat" hint={false} />
        </Menu>
      )}
      <IconButton
        icon={PanelRight}
        label={isPanelOpen ? "Hide details" : "Show details"}
        shortcut={keysOf("panel")}
        aria-pressed={isPanelOpen}
        onClick={onPanel}
      />
    </header>
  );
}

/** Where the agent works. */
function Workspace({ path }: { path: string }) {
  return (
    <span
      title={path}
      className="flex max-w-40 items-center gap-1.5 rounded-md bg-sunken px-2 py-1 text-xs text-muted max-sm:hidden"
    >
      <Folder aria-hidden size={13} className="shrink-0" />
      <span className="sr-only">Works in </span>
      <span className="truncate">{visible(path.split("/").filter(Boolean).at(-1) ?? path)}</span>
    </span>
  );
}
