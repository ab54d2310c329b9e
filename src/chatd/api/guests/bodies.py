"""The shapes of what guests are answered."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.people.links import Included
from chatd.kit.sealed_numbers import WORD_LENGTH
from chatd.live.guests.messages import GuestMessage
from chatd.live.shapes import Moment

PAGE_MESSAGES, PAGE_MESSAGES_MAX = 50, 200


class GuestChat(Struct, frozen=True, kw_only=True):
    title: str
    owner_name: Annotated[
        str, Meta(description="What its owner wants to be called; empty where they have not said.")
    ]
    live: Annotated[bool, Meta(description="Whether you see what is said from now on.")]
    include: Annotated[tuple[Included, ...], Meta(description="What you see beside words.")]
    expires_at: Moment


class ListGuestMessages(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    before: Annotated[
        Annotated[str, Meta(max_length=WORD_LENGTH)] | None,
        Meta(description="`next` of the page before, or `before` of the stream."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=PAGE_MESSAGES_MAX)] = PAGE_MESSAGES


class GuestPage(Struct, frozen=True, kw_only=True):
    """What was said, newest first."""

    messages: tuple[GuestMessage, ...]
    next: Annotated[str | None, Meta(description="There may be more: ask with it as `before`.")] = None
