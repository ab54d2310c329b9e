"""What a stream tells. An event of a kind that this client does not know is an `UnknownEvent`."""

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from chatd.client.answers import Awaited, Chat, Children, Message, Part, Participant, Queued
from chatd.kit.codec import Decoder


class _Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    # A stream that begins with it goes on after this event.
    cursor: str = ""
    chat_id: str = ""


class ChatDescribed(_Event, frozen=True, kw_only=True, tag="chat"):
    """What the chat is about: its title, labels and the like."""

    chat: dict[str, Any]


class OlderMessages(_Event, frozen=True, kw_only=True, tag="older_messages"):
    """There are messages before the ones that follow: `messages(chat_id, before_id=...)` reads them."""

    before_id: int


class ParticipantsNamed(_Event, frozen=True, kw_only=True, tag="participants"):
    """Who has written messages that follow, beside those known. Not told while the owner alone has."""

    participants: tuple[Participant, ...]


class MessageSaved(_Event, frozen=True, kw_only=True, tag="message"):
    """A message of the history. One with a known id replaces what was there."""

    message: Message


class MessageDeleted(_Event, frozen=True, kw_only=True, tag="message_deleted"):
    message_id: int


class QueueUpdated(_Event, frozen=True, kw_only=True, tag="queue_update"):
    """The whole queue."""

    queued_messages: tuple[Queued, ...]
    # Readers are told how long it is, and no more.
    queue_length: int = 0


class StatusChanged(_Event, frozen=True, kw_only=True, tag="status"):
    status: str


class TurnFailed(_Event, frozen=True, kw_only=True, tag="error"):
    message: str
    kind: str = "generic"
    retryable: bool = False
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class WaitingForChanged(_Event, frozen=True, kw_only=True, tag="waiting_for"):
    """Everything the chat waits for; empty: for nothing any more."""

    waiting_for: tuple[Awaited, ...]


class ChildrenChanged(_Event, frozen=True, kw_only=True, tag="children"):
    """The chats that work for this one, and what they wait for."""

    children: Children


class RetryPending(_Event, frozen=True, kw_only=True, tag="retry"):
    attempt: int
    delay_ms: int = 0
    error: str = ""
    kind: str = "generic"
    retrying_at: str = ""


class HeldUp(Struct, frozen=True, kw_only=True):
    """What the agent waits for: a `slot` on the server, or the first byte of its `provider`."""

    reason: str = ""
    since: str = ""
    provider: str | None = None


class HeldUpChanged(_Event, frozen=True, kw_only=True, tag="held_up"):
    """Why the agent gets no further at the moment; None: it does."""

    held_up: HeldUp | None = None


class RetryOver(_Event, frozen=True, kw_only=True, tag="retry_over"):
    pass


class PreviewReset(_Event, frozen=True, kw_only=True, tag="preview_reset"):
    """Forget the parts shown so far."""


class PreviewPaused(_Event, frozen=True, kw_only=True, tag="preview_paused"):
    """Whether what is being said may come late, or only when it is saved."""

    paused: bool = False


class PartSpoken(_Event, frozen=True, kw_only=True, tag="message_part"):
    """Something more of the message that is being said."""

    role: str
    part: Part
    history_version: int = 0
    generation_attempt: int = 0
    seq: int = 0


class Gap(_Event, frozen=True, kw_only=True, tag="gap"):
    """Something is missing: of the preview until its message is saved, or of the history, which follows."""

    what: str = "preview"


class ChatGone(_Event, frozen=True, kw_only=True, tag="chat_deleted"):
    """The chat was deleted; nothing follows."""


class AccessEnded(_Event, frozen=True, kw_only=True, tag="access_ended"):
    """The caller may not watch any more; nothing follows."""


class UnknownEvent(Struct, frozen=True, kw_only=True):
    """A newer server says something; `data` is all of it."""

    type: str
    cursor: str
    data: Any


_Known: TypeAlias = (
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

Event: TypeAlias = _Known | UnknownEvent


class WatchEvent(Struct, frozen=True, kw_only=True):
    """Something happened to one of the caller's chats; `type` says what.

    After a `gap`, which comes first, the list has to be read: what is not in it was deleted. What a type
    does not need is not there.
    """

    type: str = ""
    cursor: str = ""
    chat_id: str = ""
    chat: Chat | None = None
    # Of `list_paused`.
    paused: bool = False
    # Of `offers_change`.
    count: int = 0


_known: Decoder[_Known] = Decoder(_Known)  # type: ignore[arg-type]  # a union is a type to msgspec
_watched = Decoder(WatchEvent)
_anything: Decoder[Any] = Decoder(object)


def event_of(data: str) -> Event:
    """Raises msgspec.DecodeError when it is not JSON at all."""
    try:
        return _known.decode(data)
    except msgspec.ValidationError:
        whole = _anything.decode(data)
        fields = whole if isinstance(whole, dict) else {}
        return UnknownEvent(
            type=str(fields.get("type", "")), cursor=str(fields.get("cursor", "")), data=whole
        )


def watch_event_of(data: str) -> WatchEvent:
    try:
        return _watched.decode(data)
    except msgspec.ValidationError:
        return WatchEvent()
