/** What a guest makes of events, by the contract in docs/reference/streams.md (pure). */

import type { Message, Part } from "@/api/types";
import type { components } from "@/api/types.gen";
import { spoken } from "@/live/view/preview";
import { type ChatView, NEW_VIEW, NOTHING_SAID, type Preview } from "@/live/view/view";
import type { GuestMessage } from "./asking";

type Schemas = components["schemas"];
export type GuestEvent = Schemas["GuestEvent"];

/** A message, and what the server calls it: by its name it is known again. */
interface Named {
  name: string;
  message: Message;
}

export interface GuestView {
  title: string;
  /** In their order. */
  messages: readonly Named[];
  /** What to ask with for the messages before these; null: there are none. */
  before: string | null;
  preview: Preview;
  /** The link counts no more. */
  ended: boolean;
}

export const NOTHING_YET: GuestView = {
  title: "",
  messages: [],
  before: null,
  preview: NOTHING_SAID,
  ended: false,
};

/** The cards want numbers that grow. What is asked for later comes before what is there. */
const FIRST = 1_000_000_000;

export function reduce(view: GuestView, event: GuestEvent): GuestView {
  switch (event.type) {
    case "chat":
      return { ...view, title: event.chat.title };
    case "older_messages":
      return { ...view, before: event.before };
    case "message":
      return { ...view, messages: withMessage(view.messages, event.message) };
    case "message_part":
      return { ...view, preview: heard(view.preview, event) };
    case "preview_reset":
      return { ...view, preview: NOTHING_SAID };
    case "gap":
      return { ...NOTHING_YET, title: view.title };
    case "access_ended":
      return { ...NOTHING_YET, ended: true };
    default:
      return unknown(view, event);
  }
}

/** With an older page, which is newest first. */
export function withOlder(view: GuestView, page: readonly GuestMessage[], before: string | null): GuestView {
  const first = view.messages[0]?.message.id ?? FIRST;
  const older = page.map((each, index) => ({ name: each.id, message: messageOf(each, first - 1 - index) }));
  return { ...view, messages: [...older.reverse(), ...view.messages], before };
}

/** As the rows of a transcript want it. `isLive`: calls without a result may still be at work. */
export function asChatView(view: GuestView, isLive: boolean): ChatView {
  return {
    ...NEW_VIEW,
    status: isLive ? "running" : "waiting",
    messages: view.messages.map((each) => each.message),
    preview: view.preview,
  };
}

function withMessage(messages: readonly Named[], told: GuestMessage): readonly Named[] {
  const place = messages.findIndex((each) => each.name === told.id);
  const known = messages[place];
  if (known) return messages.with(place, { ...known, message: messageOf(told, known.message.id) });
  const number = (messages.at(-1)?.message.id ?? FIRST) + 1;
  return [...messages, { name: told.id, message: messageOf(told, number) }];
}

function messageOf({ role, content, created_at }: GuestMessage, id: number): Message {
  return { id, chat_id: "", role, created_at, content: content.map(partOf) };
}

/** Of a result it is not told that it is a picture, but one that has a file is. */
function partOf(part: GuestMessage["content"][number]): Part {
  return part.type === "tool-result" ? { ...part, is_media: Boolean(part.media) } : part;
}

/** There is one preview at a time, and its pieces come in order: their numbers are ours. */
function heard(preview: Preview, { role, part }: Schemas["GuestPartSpokenEvent"]): Preview {
  const about = {
    type: "message_part",
    chat_id: "",
    cursor: "",
    history_version: 1,
    generation_attempt: 1,
  } as const;
  return spoken(preview, { ...about, role, part, seq: preview.seq + 1 });
}

/** A newer server says something. A kind that this one knows and that is not above does not compile. */
function unknown(view: GuestView, _event: never): GuestView {
  return view;
}
