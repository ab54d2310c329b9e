/**
 * What a viewer makes of events, by the contract in docs/reference/streams.md (pure).
 *
 * The server's side of it is live/viewer.py; both are tested with tests/recordings.
 */

import type { Message, Participant, ViewerEvent } from "@/api/types";
import { spoken } from "./preview";
import { type ChatView, NEW_VIEW, NOTHING_SAID } from "./view";

/** In these statuses nothing is being said: what still comes is a leftover. */
const SILENT = new Set(["waiting", "error"]);

/** What belongs to the history. Anything else says that it is whole. */
const HISTORY = new Set(["chat", "participants", "older_messages", "message", "message_deleted"]);

export function reduceAll(view: ChatView, events: readonly ViewerEvent[]): ChatView {
  return events.reduce(reduce, view);
}

export function reduce(view: ChatView, event: ViewerEvent): ChatView {
  if (event.type === "gap" && event.what === "history") {
    return { ...view, replacement: { ...NEW_VIEW, cursor: event.cursor }, cursor: event.cursor };
  }
  if (view.replacement === null) return { ...applied(view, event), cursor: event.cursor };
  const replacement = { ...applied(view.replacement, event), cursor: event.cursor };
  return HISTORY.has(event.type) ? { ...view, replacement, cursor: event.cursor } : replacement;
}

function applied(view: ChatView, event: ViewerEvent): ChatView {
  switch (event.type) {
    case "chat":
      return { ...view, details: event.chat };
    case "participants":
      return { ...view, participants: withNamed(view.participants, event.participants) };
    case "older_messages":
      return { ...view, olderThan: event.before_id };
    case "message":
      return { ...view, messages: withMessage(view.messages, event.message) };
    case "message_deleted":
      return { ...view, messages: view.messages.filter((each) => each.id !== event.message_id) };
    case "queue_update":
      return { ...view, queue: event.queued_messages };
    case "status":
      return withStatus(view, event.status);
    case "error":
      return { ...view, error: event };
    case "waiting_for":
      return { ...view, waitingFor: event.waiting_for };
    case "children":
      return { ...view, children: event.children };
    case "retry":
      return { ...view, retry: event };
    case "retry_over":
      return { ...view, retry: null };
    case "held_up":
      return { ...view, heldUp: event.held_up };
    case "preview_reset":
      return { ...view, preview: NOTHING_SAID };
    case "preview_paused":
      return { ...view, paused: event.paused };
    case "message_part":
      return isSilent(view) ? view : { ...view, preview: spoken(view.preview, event) };
    case "gap":
      return { ...view, preview: { ...view.preview, cut: true } };
    case "chat_deleted":
    case "access_ended":
      return { ...view, gone: true };
    default:
      return unknown(view, event);
  }
}

function isSilent(view: ChatView): boolean {
  return view.status !== null && SILENT.has(view.status);
}

function withStatus(view: ChatView, status: NonNullable<ChatView["status"]>): ChatView {
  return {
    ...view,
    status,
    error: status === "error" ? view.error : null,
    heldUp: null,
    paused: !SILENT.has(status) && view.paused,
    preview: SILENT.has(status) ? NOTHING_SAID : view.preview,
  };
}

/** A newer server says something. A kind that this one knows and that is not above does not compile. */
function unknown(view: ChatView, _event: never): ChatView {
  return view;
}

function withNamed(
  known: ChatView["participants"],
  named: readonly Participant[] = [],
): ChatView["participants"] {
  return named.length === 0
    ? known
    : { ...known, ...Object.fromEntries(named.map((each) => [each.id, each])) };
}

/** In the order of ids; one with a known id replaces what was there. Almost always it is the newest. */
function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  const last = messages.at(-1);
  if (last === undefined || last.id < message.id) return [...messages, message];
  const place = messages.findIndex((each) => each.id >= message.id);
  return messages.toSpliced(place, messages[place]?.id === message.id ? 1 : 0, message);
}

/**
 * An older page of the history, which came on its own way. What the stream has told of a message since the
 * page was asked for counts: its copy stays, and one that it deleted does not come back.
 */
export function withOlder(
  view: ChatView,
  page: readonly Message[],
  more: boolean,
  deleted: ReadonlySet<number>,
  named?: readonly Participant[],
): ChatView {
  const known = new Set(view.messages.map((each) => each.id));
  const added = page.filter((each) => !known.has(each.id) && !deleted.has(each.id));
  const messages = [...added, ...view.messages].sort((a, b) => a.id - b.id);
  const oldest = page.reduce((least, each) => Math.min(least, each.id), view.olderThan ?? Infinity);
  const participants = withNamed(view.participants, named);
  return { ...view, messages, participants, olderThan: more && Number.isFinite(oldest) ? oldest : null };
}

/** A connection was lost and is there again: what is not remembered by the server is forgotten here. */
export function reconnected(view: ChatView): ChatView {
  return { ...view, heldUp: null, paused: false };
}
