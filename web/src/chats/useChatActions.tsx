import {
  Archive,
  ArchiveRestore,
  Download,
  Mail,
  MailOpen,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Tag,
  Trash2,
} from "lucide-react";
import { useCallback, useState } from "react";
import { patchChat, type RowChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { ROOT } from "@/lib/browser/base";
import type { MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { whyBusy } from "./activity";
import { DeleteDialog } from "./dialogs/DeleteDialog";
import { LabelsDialog } from "./dialogs/LabelsDialog";
import { RenameDialog } from "./dialogs/RenameDialog";
import { ShareDialog } from "./dialogs/ShareDialog";
import { lastPlace } from "./list/pins";

type About = Pick<RowChat, "id" | "title" | "status" | "archived" | "pin_order" | "labels" | "children"> & {
  has_unread?: boolean;
};

type Asked = { about: About; dialog: "rename" | "labels" | "share" | "delete" } | null;

/** What a menu can set going. */
interface Does {
  ask: (asked: Asked) => void;
  change: (chat: About, body: Parameters<typeof patchChat>[1]) => void;
}

/** What can be done to a chat, as a menu, and the dialogs that some of it needs. */
export function useChatActions(onGone: (chatId: string) => void) {
  const [asked, setAsked] = useState<Asked>(null);
  const [busyIds, setBusyIds] = useState<ReadonlySet<string>>(new Set());
  const close = useCallback(() => setAsked(null), []);
  const change = useCallback(async (chat: About, body: Parameters<typeof patchChat>[1]) => {
    setBusyIds((ids) => new Set(ids).add(chat.id));
    try {
      await patchChat(chat.id, body);
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    } finally {
      setBusyIds((ids) => new Set([...ids].filter((id) => id !== chat.id)));
    }
  }, []);
  const itemsFor = useCallback(
    (chat: About, kin: "root" | "child"): MenuItem[] => {
      const does: Does = { ask: setAsked, change: (...asked) => void change(...asked) };
      return kin === "root" ? itemsOfRoot(chat, does) : itemsOfAny(chat, does);
    },
    [change],
  );
  const dialogs = asked && (
    <>
      {asked.dialog === "rename" && <RenameDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "labels" && (
        <LabelsDialog chat={{ ...asked.about, labels: asked.about.labels ?? {} }} onClose={close} />
      )}
      {asked.dialog === "share" && <ShareDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "delete" && <DeleteDialog chat={asked.about} onClose={close} onGone={onGone} />}
    </>
  );
  return { itemsFor, busyIds, dialogs };
}

function itemsOfAny(chat: About, { ask, change }: Does): MenuItem[] {
  return [
    { label: "Rename…", icon: Pencil, onSelect: () => ask({ about: chat, dialog: "rename" }) },
    { label: "Labels…", icon: Tag, onSelect: () => ask({ about: chat, dialog: "labels" }) },
    chat.has_unread
      ? {
          label: "Mark as read",
          icon: MailOpen,
          onSelect: () => change(chat, { last_read_message_id: Number.MAX_SAFE_INTEGER }),
        }
      : {
          label: "Mark as unread",
          icon: Mail,
          onSelect: () => change(chat, { last_read_message_id: 0 }),
        },
    { label: "Export as Markdown", icon: Download, onSelect: () => exportChat(chat.id) },
  ];
}

/** A chat that works for another is pinned, put away and deleted with that one. */
function itemsOfRoot(chat: About, does: Does): MenuItem[] {
  const why = whyBusy(chat.status, chat.children);
  const busy = { disabled: why !== null, note: why ?? undefined };
  const { ask, change } = does;
  return [
    chat.pin_order > 0
      ? { label: "Unpin", icon: PinOff, onSelect: () => change(chat, { pin_order: 0 }) }
      : {
          label: "Pin",
          icon: Pin,
          disabled: chat.archived,
          onSelect: () => change(chat, { pin_order: lastPlace() }),
        },
    ...itemsOfAny(chat, does),
    { label: "Share…", icon: Share2, onSelect: () => ask({ about: chat, dialog: "share" }) },
    "line",
    chat.archived
      ? {
          label: "Take out of the archive",
          icon: ArchiveRestore,
          onSelect: () => change(chat, { archived: false }),
        }
      : { label: "Archive", icon: Archive, ...busy, onSelect: () => change(chat, { archived: true }) },
    {
      label: "Delete…",
      icon: Trash2,
      danger: true,
      ...busy,
      onSelect: () => ask({ about: chat, dialog: "delete" }),
    },
  ];
}

function exportChat(chatId: string): void {
  const link = document.createElement("a");
  link.href = new URL(`api/v1/chats/${encodeURIComponent(chatId)}/export?format=markdown`, ROOT).href;
  link.download = "chat.md";
  link.click();
}
