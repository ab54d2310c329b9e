import { useCallback, useState } from "react";
import type { Deeds } from "@/api/accounts/permits";
import { deleteChat, patchChat, type RowChat } from "@/api/chats/chats";
import { type MarkChange, markChat } from "@/api/chats/marks";
import { leaveChat } from "@/api/chats/sharing";
import { sentence } from "@/api/errors";
import type { MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { LabelsDialog } from "./dialogs/LabelsDialog";
import { RenameDialog } from "./dialogs/RenameDialog";
import { ShareDialog } from "./dialogs/ShareDialog";
import { SureDialog } from "./dialogs/SureDialog";
import { TransferDialog } from "./dialogs/TransferDialog";
import { itemsOfAny, itemsOfRoot } from "./menuItems";

/** What a menu has to know of a chat. */
export type About = Pick<
  RowChat,
  | "id"
  | "title"
  | "status"
  | "archived"
  | "pin_order"
  | "labels"
  | "children"
  | "access"
  | "owner"
  | "muted"
  | "has_unread"
>;

export type DialogName = "rename" | "labels" | "share" | "transfer" | "leave" | "delete";

type Asked = { about: About; dialog: DialogName } | null;

/** What a menu can set going. */
export interface Does {
  ask: (chat: About, dialog: DialogName) => void;
  change: (chat: About, body: Parameters<typeof patchChat>[1]) => void;
  mark: (chat: About, body: MarkChange) => void;
}

/** What can be done to a chat, as a menu, and the dialogs that some of it needs. */
export function useChatActions(onGone: (chatId: string) => void) {
  const [asked, setAsked] = useState<Asked>(null);
  const [busyIds, setBusyIds] = useState<ReadonlySet<string>>(new Set());
  const close = useCallback(() => setAsked(null), []);
  const during = useCallback(async (chatId: string, work: () => Promise<unknown>) => {
    setBusyIds((ids) => new Set(ids).add(chatId));
    try {
      await work();
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    } finally {
      setBusyIds((ids) => new Set([...ids].filter((id) => id !== chatId)));
    }
  }, []);
  const itemsFor = useCallback(
    (chat: About, kin: "root" | "child", deeds: Deeds): MenuItem[] => {
      const does: Does = {
        ask: (about, dialog) => setAsked({ about, dialog }),
        change: ({ id }, body) => void during(id, () => patchChat(id, body)),
        mark: ({ id }, body) => void during(id, () => markChat(id, body)),
      };
      return kin === "root" ? itemsOfRoot(chat, deeds, does) : itemsOfAny(chat, deeds, does);
    },
    [during],
  );
  const dialogs = asked && (
    <>
      {asked.dialog === "rename" && <RenameDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "labels" && (
        <LabelsDialog chat={{ ...asked.about, labels: asked.about.labels ?? {} }} onClose={close} />
      )}
      {asked.dialog === "share" && (
        <ShareDialog
          chat={asked.about}
          onClose={close}
          onHandOver={() => setAsked({ ...asked, dialog: "transfer" })}
        />
      )}
      {asked.dialog === "transfer" && <TransferDialog chat={asked.about} onClose={close} />}
      {asked.dialog === "leave" && (
        <SureDialog
          title="Leave this chat?"
          description={`You will not see “${asked.about.title}” any more, unless it is shared with you again.`}
          no="Stay"
          yes="Leave"
          work={() => leaveChat(asked.about.id)}
          onDone={() => onGone(asked.about.id)}
          onClose={close}
        />
      )}
      {asked.dialog === "delete" && (
        <SureDialog
          title="Delete this chat?"
          description={`“${asked.about.title}” and everything said in it is deleted for good. Files in the workspace stay.`}
          no="Keep it"
          yes="Delete"
          work={() => deleteChat(asked.about.id)}
          onDone={() => onGone(asked.about.id)}
          onClose={close}
        />
      )}
    </>
  );
  return { itemsFor, busyIds, dialogs };
}
