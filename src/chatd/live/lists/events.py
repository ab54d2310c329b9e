"""What watchers of a list are told, as it crosses the wire.

Each event carries the whole light chat, so that applying it twice, or late, does no harm. Its type only
says what moved.
"""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId
from chatd.live.shapes import Access, ChildrenView, FailureView, Moment, OwnerView, WaitingFor


class SharedListedChat(Struct, frozen=True, kw_only=True):
    """A chat in a list, as those see it with whom it is shared. Pins, marks and mutes are their own."""

    id: str
    title: str
    status: Status
    archived: bool
    owner: OwnerView
    access: Access
    pin_order: int
    has_unread: bool
    muted: bool
    last_model: str | None
    waiting_for: tuple[WaitingFor, ...]
    children: ChildrenView
    created_at: Moment
    updated_at: Moment
    # Not there: it has not failed.
    last_error: FailureView | UnsetType = UNSET
    # Not there: null.
    last_turn_summary: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET


class ListedChat(SharedListedChat, frozen=True, kw_only=True):
    """The same of one's own. Others are told less: what is always there."""

    labels: dict[str, str]
    shared: bool
    # Since when its workspace is known to tell something else than its agent was told; not there: it is not.
    context_dirty_since: Moment | UnsetType = UNSET


class _Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    chat_id: str
    cursor: str


class _ChatEvent(_Event, frozen=True, kw_only=True):
    chat: ListedChat


class Created(_ChatEvent, frozen=True, kw_only=True, tag="created"):
    pass


class StatusMoved(_ChatEvent, frozen=True, kw_only=True, tag="status_change"):
    pass


class TitleMoved(_ChatEvent, frozen=True, kw_only=True, tag="title_change"):
    pass


class Described(_ChatEvent, frozen=True, kw_only=True, tag="details_change"):
    """Labels, pin, mute, archive, model, whether there is something unread, or who may do what with it."""


class ContextMoved(_ChatEvent, frozen=True, kw_only=True, tag="context_dirty"):
    """Whether its workspace tells something else than its agent was told."""


class TurnLabelled(_ChatEvent, frozen=True, kw_only=True, tag="summary_change"):
    """A model wrote about the last turn."""


class Summarized(_ChatEvent, frozen=True, kw_only=True, tag="chat_summary_change"):
    """A model wrote about the chat."""


class ChildrenMoved(_ChatEvent, frozen=True, kw_only=True, tag="children_change"):
    """The chats that work for it: how many, how many are at it, and what they wait for."""


class Deleted(_Event, frozen=True, kw_only=True, tag="deleted"):
    """It is in the list no more: it is gone, or is not theirs and not shared with them any more."""


class Missed(Struct, frozen=True, kw_only=True, tag_field="type", tag="gap"):
    """Whatever you have may be outdated: list the chats, and take what follows as changes of that list."""

    cursor: str
    what: Literal["list"] = "list"


class Paused(Struct, frozen=True, kw_only=True, tag_field="type", tag="list_paused"):
    """Whether changes come late: the database cannot be reached. What is missed follows when it is back."""

    paused: bool
    cursor: str


class OffersMoved(Struct, frozen=True, kw_only=True, tag_field="type", tag="offers_change"):
    """How many chats are offered to the watcher: `GET /api/v1/transfers` lists them."""

    count: int
    cursor: str


class WatchEnded(Struct, frozen=True, kw_only=True, tag_field="type", tag="access_ended"):
    """The last event for a viewer who is let in no more."""

    cursor: str = ""


Moved: TypeAlias = (
    Created | StatusMoved | TitleMoved | Described | ContextMoved | TurnLabelled | Summarized | ChildrenMoved
)
FeedEvent: TypeAlias = (
    Created
    | StatusMoved
    | TitleMoved
    | Described
    | ContextMoved
    | TurnLabelled
    | Summarized
    | ChildrenMoved
    | Deleted
    | Missed
    | Paused
    | OffersMoved
    | WatchEnded
)


def is_of(event: FeedEvent, family: ChatId) -> bool:
    """Whether somebody may be told of it who may read one family of chats and no other."""
    if isinstance(event, OffersMoved):
        return False
    return isinstance(event, Missed | Paused | WatchEnded) or event.chat_id == family
