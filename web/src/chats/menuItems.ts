/** What the menu of a chat offers: what the caller may do with it, in one order. */

import {
  Archive,
  ArchiveRestore,
  Bell,
  BellOff,
  Download,
  Forward,
  LogOut,
  Mail,
  MailOpen,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Tag,
  Trash2,
} from "lucide-react";
import type { Deeds } from "@/api/accounts/permits";
import { ALL_READ } from "@/api/chats/marks";
import { ROOT } from "@/lib/browser/base";
import type { MenuItem } from "@/ui/overlay/Menu";
import { whyBusy } from "./activity";
import { lastPlace } from "./list/pins";
import type { About, Does } from "./useChatActions";

const when = (isSo: boolean, ...items: MenuItem[]): MenuItem[] => (isSo ? items : []);

export function itemsOfAny(chat: About, deeds: Deeds, { ask, mark }: Does): MenuItem[] {
  return [
    ...when(
      deeds.has("chat.describe"),
      { label: "Rename…", icon: Pencil, onSelect: () => ask(chat, "rename") },
      { label: "Labels…", icon: Tag, onSelect: () => ask(chat, "labels") },
    ),
    ...when(
      deeds.has("chat.keep"),
      chat.has_unread
        ? { label: "Mark as read", icon: MailOpen, onSelect: () => mark(chat, { read_id: ALL_READ }) }
        : { label: "Mark as unread", icon: Mail, onSelect: () => mark(chat, { read_id: 0 }) },
      chat.muted
        ? { label: "Unmute", icon: Bell, onSelect: () => mark(chat, { muted: false }) }
        : {
            label: "Mute",
            icon: BellOff,
            note: "You are told nothing of it.",
            onSelect: () => mark(chat, { muted: true }),
          },
    ),
    ...when(deeds.has("chat.read"), {
      label: "Export as Markdown",
      icon: Download,
      onSelect: () => exportChat(chat.id),
    }),
  ];
}

/** A chat that works for another is pinned, shared, handed over, put away and deleted with that one. */
export function itemsOfRoot(chat: About, deeds: Deeds, does: Does): MenuItem[] {
  const { ask, mark } = does;
  return [
    ...when(
      deeds.has("chat.keep"),
      chat.pin_order > 0
        ? { label: "Unpin", icon: PinOff, onSelect: () => mark(chat, { pin_order: 0 }) }
        : {
            label: "Pin",
            icon: Pin,
            disabled: chat.archived,
            onSelect: () => mark(chat, { pin_order: lastPlace() }),
          },
    ),
    ...itemsOfAny(chat, deeds, does),
    ...when(deeds.has("chat.share"), {
      label: "Share…",
      icon: Share2,
      onSelect: () => ask(chat, "share"),
    }),
    ...when(deeds.has("chat.transfer"), {
      label: "Hand over…",
      icon: Forward,
      onSelect: () => ask(chat, "transfer"),
    }),
    ...puttingAway(chat, deeds, does),
  ];
}

function puttingAway(chat: About, deeds: Deeds, { ask, change }: Does): MenuItem[] {
  const why = whyBusy(chat.status, chat.children);
  const busy = { disabled: why !== null, note: why ?? undefined };
  const isShared = chat.access === "reader" || chat.access === "writer";
  const items = [
    ...when(isShared && deeds.has("chat.unshare"), {
      label: "Leave…",
      icon: LogOut,
      onSelect: () => ask(chat, "leave"),
    }),
    ...when(
      deeds.has("chat.archive"),
      chat.archived
        ? {
            label: "Take out of the archive",
            icon: ArchiveRestore,
            onSelect: () => change(chat, { archived: false }),
          }
        : { label: "Archive", icon: Archive, ...busy, onSelect: () => change(chat, { archived: true }) },
    ),
    ...when(deeds.has("chat.delete"), {
      label: "Delete…",
      icon: Trash2,
      danger: true,
      ...busy,
      onSelect: () => ask(chat, "delete"),
    }),
  ];
  return items.length > 0 ? ["line", ...items] : [];
}

function exportChat(chatId: string): void {
  const link = document.createElement("a");
  link.href = new URL(`api/v1/chats/${encodeURIComponent(chatId)}/export?format=markdown`, ROOT).href;
  link.download = "chat.md";
  link.click();
}
