import {
  Archive,
  ArchiveRestore,
  Download,
  Mail,
  MailOpen,
  Pencil,
  Pin,
  PinOff,
  Tag,
  Trash2,
} from "lucide-react";
import { useCallback, useState } from "react";
import { patchChat, type RowChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import type { Status } from "@/api/types";
import { ROOT } from "@/lib/browser/base";
import type { MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { DeleteDialog } from "./dialogs/DeleteDialog";
import { LabelsDialog } from "./dialogs/LabelsDialog";
import { RenameDialog } from "./dialogs/RenameDialog";

type About = Pick<RowChat, "id" | "title" | "archived" | "pin_order" | "labels"> & {
  status: Status;
  has_unread?: boolean;
};

type Asked = { about: About; dialog: "rename" | "labels" | "delete" } | null;

const ACTIVE = new Set<Status>(["running", "interrupting", "requires_action"]);

/** Below those that were pinned before: places are counted in seconds, and fit until 2038. */
const lastPlace = () => Math.floor(Date.now() / 1000);

async function change(chat: About, body: Parameters<typeof patchChat>[1]): Promise<void> {
  try {
    await patchChat(chat.id, body);
  } catch (error) {
    toast({ text: sentence(error), bad: true });
  }
}

/** What can be done to a chat, as a menu, and the dialogs that some of it needs. */
export function useChatActions(onGone: (chatId: string) => void) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = useCallback(() => setAsked(null), []);
  const itemsFor = useCallback((chat: About): MenuItem[] => itemsOf(chat, setAsked), []);
  const dialogs = asked && (
    <>
      {asked.dialog === "rename" && <RenameDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "labels" && <LabelsDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "delete" && <DeleteDialog chat={asked.about} onClose={close} onGone={onGone} />}
    </>
  );
  return { itemsFor, dialogs };
}

function itemsOf(chat: About, ask: (asked: Asked) => void): MenuItem[] {
  const isActive = ACTIVE.has(chat.status);
  return [
    chat.pin_order > 0
      ? { label: "Unpin", icon: PinOff, onSelect: () => void change(chat, { pin_order: 0 }) }
      : { label: "Pin", icon: Pin, onSelect: () => void change(chat, { pin_order: lastPlace() }) },
    { label: "Rename…", icon: Pencil, onSelect: () => ask({ about: chat, dialog: "rename" }) },
    { label: "Labels…", icon: Tag, onSelect: () => ask({ about: chat, dialog: "labels" }) },
    chat.has_unread
      ? {
          label: "Mark as read",
          icon: MailOpen,
          onSelect: () => void change(chat, { last_read_message_id: Number.MAX_SAFE_INTEGER }),
        }
      : {
          label: "Mark as unread",
          icon: Mail,
          onSelect: () => void change(chat, { last_read_message_id: 0 }),
        },
    { label: "Export as Markdown", icon: Download, onSelect: () => exportChat(chat.id) },
    "line",
    chat.archived
      ? {
          label: "Take out of the archive",
          icon: ArchiveRestore,
          onSelect: () => void change(chat, { archived: false }),
        }
      : {
          label: "Archive",
          icon: Archive,
          disabled: isActive,
          note: isActive ? "Not while the agent is at work." : undefined,
          onSelect: () => void change(chat, { archived: true }),
        },
    {
      label: "Delete…",
      icon: Trash2,
      danger: true,
      disabled: isActive,
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
