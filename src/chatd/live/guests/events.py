"""The events that guests are sent. They have no cursor: a guest who comes back is told everything anew.

Rules for change are those of `live/events.py`.
"""

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from chatd.domain.message import Role
from chatd.live.guests.messages import GuestMessage


class _Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class GuestDetails(Struct, frozen=True, kw_only=True):
    title: str


class GuestDescribed(_Event, frozen=True, kw_only=True, tag="chat"):
    """What the chat is called; at first, and whenever that changes."""

    chat: GuestDetails


class GuestOlder(_Event, frozen=True, kw_only=True, tag="older_messages"):
    """There are older messages than the ones that follow. `GET …/public/messages` with this has them."""

    before: str


class GuestSaved(_Event, frozen=True, kw_only=True, tag="message"):
    """A message of the history. One with a known id replaces what was there."""

    message: GuestMessage


class GuestPartSpoken(_Event, frozen=True, kw_only=True, tag="message_part"):
    """Something more of the message that is being said. It may end early: the rest comes when it is saved."""

    role: Role
    # A GuestLivePart: what is whole and what is a piece of it have the same tag, which msgspec refuses.
    part: Any


class GuestPreviewReset(_Event, frozen=True, kw_only=True, tag="preview_reset"):
    """Forget the parts shown so far."""


class GuestGap(_Event, frozen=True, kw_only=True, tag="gap"):
    """The history is another one: forget all of it, everything follows."""

    what: Literal["history"] = "history"


class GuestAccessEnded(_Event, frozen=True, kw_only=True, tag="access_ended"):
    """The last event, for whatever reason: the link counts no more."""


GuestEvent: TypeAlias = (
    GuestDescribed
    | GuestOlder
    | GuestSaved
    | GuestPartSpoken
    | GuestPreviewReset
    | GuestGap
    | GuestAccessEnded
)
