import type { RowChat } from "@/api/chats/chats";

/** A chat in a list, at rest unless said otherwise. */
export function aChat(id: string, more: Partial<RowChat> = {}): RowChat {
  return {
    id,
    title: id,
    status: "waiting",
    archived: false,
    labels: {},
    owner: { id: "me", name: "me", display_name: "" },
    access: "owner",
    shared: false,
    muted: false,
    pin_order: 0,
    has_unread: false,
    last_model: "provider/model",
    waiting_for: [],
    children: { count: 0, at_work: 0, waiting: [] },
    created_at: "2027-01-15T12:00:00Z",
    updated_at: "2027-01-15T12:00:00Z",
    ...more,
  };
}
