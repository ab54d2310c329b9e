"""The kinds of viewers, and how each thing is made for them: full, restricted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from chatd.domain.call import Call
from chatd.domain.chat import Chat, RetryState
from chatd.domain.ids import ChatId, Micros
from chatd.domain.message import Message, Queued
from chatd.domain.people.permit import View
from chatd.domain.turn_end import Failure
from chatd.live.restricted import shared_failure, shared_message, shared_retry, shared_waiting
from chatd.live.shapes import (
    Moment,
    QueuedView,
    dirty_since,
    failure_view,
    message_view,
    queued_view,
    retry_view,
    waiting_view,
)


class ChatDetails(Struct, frozen=True, kw_only=True):
    title: str
    labels: dict[str, str]
    archived: bool
    pin_order: int
    branch: int
    branch_count: int
    last_model: str | None
    # Since when the workspace is known to tell something else than the agent was told; not there: it is not.
    context_dirty_since: Moment | UnsetType = UNSET
    # What a model wrote about the last turn, and about the chat; not there: nothing.
    last_turn_summary: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET


class SharedDetails(Struct, frozen=True, kw_only=True):
    """The same of a chat that was shared."""

    title: str
    archived: bool
    last_model: str | None
    last_turn_summary: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET


class Shapes(Struct, frozen=True, kw_only=True):
    """What viewers of one kind are shown: how each thing is made for them."""

    details: Callable[[Chat], Any]
    # A MessageView, what stands for it where less is shown, or the JSON of one.
    message: Callable[[ChatId, Message], Any]
    shows_queue: bool
    waiting: Callable[[Call, Micros | None], Any]
    failure: Callable[[Failure], Any]
    retry: Callable[[RetryState], Any]

    def queue(self, chat_id: ChatId, queue: Sequence[Queued]) -> tuple[QueuedView, ...]:
        """Nothing where it is hidden: beside it stands how long it is."""
        return whole_queue(chat_id, queue) if self.shows_queue else ()


def details_of(chat: Chat) -> ChatDetails:
    return ChatDetails(
        title=chat.title,
        labels=chat.labels,
        archived=chat.archived,
        pin_order=chat.pin_order,
        branch=chat.branch,
        branch_count=chat.branch_count,
        last_model=chat.last_model,
        context_dirty_since=dirty_since(chat) or UNSET,
        last_turn_summary=chat.label or UNSET,
        summary=chat.summary or UNSET,
    )


def shared_details(chat: Chat) -> SharedDetails:
    return SharedDetails(
        title=chat.title,
        archived=chat.archived,
        last_model=chat.last_model,
        last_turn_summary=chat.label or UNSET,
        summary=chat.summary or UNSET,
    )


def whole_queue(chat_id: ChatId, queue: Sequence[Queued]) -> tuple[QueuedView, ...]:
    return tuple(queued_view(chat_id, row) for row in queue)


FULL = Shapes(
    details=details_of,
    message=message_view,
    shows_queue=True,
    waiting=waiting_view,
    failure=failure_view,
    retry=retry_view,
)
RESTRICTED = Shapes(
    details=shared_details,
    message=shared_message,
    shows_queue=False,
    waiting=shared_waiting,
    failure=shared_failure,
    retry=shared_retry,
)
# Guests are told something of their own: see `guests/`.
SHAPES: Mapping[View, Shapes] = {View.FULL: FULL, View.RESTRICTED: RESTRICTED}


def with_queue(shapes: Shapes, *, shown: bool) -> Shapes:
    """Whoever may speak in a chat that was shared sees what waits there."""
    return replace(shapes, shows_queue=True) if shown else shapes
