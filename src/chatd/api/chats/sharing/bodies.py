"""Shapes of grants, of marks and of transfers."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.sharing.handing_over import Keep
from chatd.api.bodies import RequestBody
from chatd.api.bodies.fields import NAME_LENGTH_MAX, Id, PinOrder
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


REASON_LENGTH_MAX = 2000


class OfferChat(RequestBody, frozen=True, kw_only=True):
    to: Annotated[
        str,
        Meta(min_length=1, max_length=NAME_LENGTH_MAX, description="The id or the name of a user."),
    ]
    keep: Annotated[Keep, Meta(description="What the owner of before may do with it afterwards.")] = (
        Keep.NOTHING
    )
    reason: Annotated[
        str,
        Meta(
            max_length=REASON_LENGTH_MAX,
            description="Of an administrator, who hands the chat over at once. An owner gives none.",
        ),
    ] = ""


class TransferView(Struct, frozen=True, kw_only=True):
    """A chat that is offered to somebody, who has 14 days to accept it."""

    chat_id: str
    title: str
    to_id: str
    to_name: str
    by_id: str
    by_name: str
    keep: Keep
    made_at: Moment
    expires_at: Moment | None
    done: Annotated[bool, Meta(description="Whether it was handed over already, by an administrator.")] = (
        False
    )


class TransferList(Struct, frozen=True, kw_only=True):
    """Chats that are on offer, the oldest offer first; up to 100 of each."""

    transfers: Annotated[tuple[TransferView, ...], Meta(description="To you.")]
    offered: Annotated[tuple[TransferView, ...], Meta(description="By you.")]
