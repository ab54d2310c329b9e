"""Shapes of grants and of marks."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies import RequestBody
from chatd.api.bodies.fields import Id, PinOrder
from chatd.domain.people.grants import GrantKind, GrantRole
from chatd.live.shapes import Moment


class PutGrant(RequestBody, frozen=True, kw_only=True):
    role: Annotated[
        GrantRole,
        Meta(
            description="`writer`: they may send messages. The owner pays for that, and the owner's keys, "
            "tools and workspace act."
        ),
    ]
    expires_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="When it ends by itself, such as 2027-01-31T12:00:00Z; null: never."),
    ] = None


class GrantView(Struct, frozen=True, kw_only=True):
    kind: GrantKind
    subject_id: Annotated[str, Meta(description="Of a user or a group; `all` for everyone who is signed in.")]
    name: Annotated[str, Meta(description="Of the user or the group; empty for everyone.")]
    display_name: str
    role: GrantRole
    made_by: Annotated[str, Meta(description="The id of a user.")]
    made_at: Moment
    expires_at: Moment | None


class GrantList(Struct, frozen=True, kw_only=True):
    """With whom a chat is shared, in the order of sharing. Readers and writers see what is their own."""

    grants: tuple[GrantView, ...]


class PutMarks(RequestBody, frozen=True, kw_only=True):
    """Your own. What is not named stays as it is."""

    read_id: Annotated[
        Id | UnsetType,
        Meta(
            description="The newest message that you have read. It never moves back, but for 0: then the "
            "chat is unread again."
        ),
    ] = UNSET
    pin_order: Annotated[
        PinOrder | UnsetType, Meta(description="Its place among your pinned chats; 0: it is not pinned.")
    ] = UNSET
    muted: Annotated[bool | UnsetType, Meta(description="Whether you want to be told nothing of it.")] = UNSET


class MarksView(Struct, frozen=True, kw_only=True):
    read_id: int
    pin_order: int
    muted: bool
    has_unread: bool
