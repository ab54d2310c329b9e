"""The events that viewers are sent, as they cross the wire.

Each event has a type, its chat and a cursor: a viewer that comes back with it is told what follows, and
nothing twice. Rules for change: add optional fields; never reuse a tag; never change what a field means.
`tests/live/golden/events.json` holds one of each as it was first sent.
"""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from chatd.domain.chat import Status
from chatd.domain.message import Role
from chatd.live.episodes.episode import Said
from chatd.live.episodes.waits import HeldUp
from chatd.live.guests.events import GuestEvent
from chatd.live.kinds import ChatDetails
from chatd.live.lists.events import FeedEvent
from chatd.live.shapes import (
    ChildrenView,
    FailureView,
    MessageView,
    Participant,
    QueuedView,
    RetryView,
    WaitingFor,
)


class _Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    chat_id: str
    cursor: str


class ChatDescribed(_Event, frozen=True, kw_only=True, tag="chat"):
    """What the chat is about; at first, and whenever that changes."""

    chat: ChatDetails


class OlderMessages(_Event, frozen=True, kw_only=True, tag="older_messages"):
    """There are older messages than the ones that follow. `GET …/messages` with this `before_id` has them."""

    before_id: int


class ParticipantsNamed(_Event, frozen=True, kw_only=True, tag="participants"):
    """Who has written messages that follow, beside those known. Not told while the owner alone has.

    Each is told once to a viewer, and anew to one that comes back when something of theirs follows.
    """

    participants: tuple[Participant, ...]


class MessageSaved(_Event, frozen=True, kw_only=True, tag="message"):
    """A message of the history. One with a known id replaces what was there."""

    message: MessageView


class MessageDeleted(_Event, frozen=True, kw_only=True, tag="message_deleted"):
    """A message has left the history. It may be one that this viewer never saw."""

    message_id: int


class QueueUpdated(_Event, frozen=True, kw_only=True, tag="queue_update"):
    """The whole queue; it replaces the one shown. Readers are told how long it is, and no more."""

    queued_messages: tuple[QueuedView, ...]
    # Not there: as many as are shown.
    queue_length: int | UnsetType = UNSET


class StatusChanged(_Event, frozen=True, kw_only=True, tag="status"):
    """A status other than `error` ends the error shown."""

    status: Status


class TurnFailed(FailureView, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """The turn has failed. The same is the `last_error` of the chat."""

    chat_id: str
    cursor: str


class WaitingForChanged(_Event, frozen=True, kw_only=True, tag="waiting_for"):
    """Everything the chat waits for; it replaces what was shown. Empty: for nothing any more."""

    waiting_for: tuple[WaitingFor, ...]


class ChildrenChanged(_Event, frozen=True, kw_only=True, tag="children"):
    """The chats that work for this one, and what they wait for; it replaces what was shown.

    A viewer that comes back is told it anew, if there are any.
    """

    children: ChildrenView


class RetryPending(RetryView, frozen=True, kw_only=True, tag_field="type", tag="retry"):
    """The model is tried again by itself, after a pause."""

    chat_id: str
    cursor: str


class HeldUpChanged(_Event, frozen=True, kw_only=True, tag="held_up"):
    """Why the agent gets no further at the moment; null: it does. New viewers get it only while it is so."""

    held_up: HeldUp | None


class RetryOver(_Event, frozen=True, kw_only=True, tag="retry_over"):
    """The pending retry has begun, or there will be none."""


class PreviewReset(_Event, frozen=True, kw_only=True, tag="preview_reset"):
    """Forget the parts shown so far; the next ones are counted from 1 again."""


class PreviewPaused(_Event, frozen=True, kw_only=True, tag="preview_paused"):
    """Whether what is being said may come late, or only when it is saved: this server hears nothing of the
    one that drives the chat. New viewers get it only while it is so.
    """

    paused: bool


class PartSpoken(_Event, frozen=True, kw_only=True, tag="message_part"):
    """Something more of the message that is being said."""

    # Never made as a value: see `Said`.
    role: Role
    part: Any
    history_version: int
    generation_attempt: int
    seq: int


class Gap(_Event, frozen=True, kw_only=True, tag="gap"):
    """Something is missing. Of a preview: the rest, until its message is saved. Of the history: what this
    viewer knew cannot be continued; forget all of it, everything follows.
    """

    what: Literal["preview", "history"]


class ChatGone(_Event, frozen=True, kw_only=True, tag="chat_deleted"):
    """The last event of a chat that was deleted."""


class AccessEnded(_Event, frozen=True, kw_only=True, tag="access_ended"):
    """The last event for a viewer who may not watch this chat any more."""


ViewerEvent: TypeAlias = (
    ChatDescribed
    | ParticipantsNamed
    | OlderMessages
    | MessageSaved
    | MessageDeleted
    | QueueUpdated
    | StatusChanged
    | TurnFailed
    | WaitingForChanged
    | ChildrenChanged
    | RetryPending
    | RetryOver
    | HeldUpChanged
    | PreviewReset
    | PreviewPaused
    | PartSpoken
    | Gap
    | ChatGone
    | AccessEnded
)


class Batch(Struct, frozen=True):
    """Everything that is new to one viewer: what was committed, then what is being said.

    The event of each part is its `begun`, `cursor_end` and `"}`.
    """

    events: tuple[ViewerEvent | FeedEvent | GuestEvent, ...] = ()
    parts: tuple[Said, ...] = ()
    cursor_end: bytes = b""
    # Of the newest snapshot in it: others may do something with the chat since then. 0: none is in it.
    access: int = 0

    def __len__(self) -> int:
        return len(self.events) + len(self.parts)
