"""`permit`: whether a caller may do a deed. The only place where that is decided (pure).

suspended            refused
the token lacks it   refused: `scope_missing`
it is for one chat   every other one is hidden
the table says no    refused: `not_permitted`; a chat with which the caller may do nothing is hidden
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import (
    BESIDE_ONE_FAMILY,
    CHAT_DEEDS,
    NOT_OF_END_USERS,
    OF_OWNERS_WHO_ONLY_VIEW,
    OTHER_DEEDS,
    Cell,
    ChatRow,
    Deed,
    Row,
)
from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import ALL_SCOPES, TokenScope


class Relation(StrEnum):
    """What a caller is to a chat: the best of what applies, taken at the root of its family."""

    OWNER = "owner"
    WRITER = "writer"
    READER = "reader"
    # A service, to the chats of its end users.
    STEWARD = "steward"
    # One with a public link.
    GUEST = "guest"
    STRANGER = "stranger"


class Standing(Struct, frozen=True, kw_only=True):
    """What counts of a caller."""

    role: UserRole
    kind: UserKind = UserKind.PERSON
    scopes: frozenset[TokenScope] = ALL_SCOPES
    suspended: bool = False
    # The root of the only family of chats that the token is good for.
    family: ChatId | None = None


class AdminsRead(StrEnum):
    """Whether administrators read chats of others."""

    AUDITED = "audited"
    NEVER = "never"


class Sharing(StrEnum):
    """With whom chats may be shared. What was granted beyond that sleeps, and does not vanish."""

    OFF = "off"
    # With users and groups, each by name.
    PEOPLE = "people"
    EVERYONE = "everyone"


class Policy(Struct, frozen=True):
    admins_read_chats: AdminsRead = AdminsRead.AUDITED
    sharing: Sharing = Sharing.EVERYONE
    # Whether public links count, and may be made.
    public_links: bool = False


USUAL_POLICY = Policy()


class View(StrEnum):
    """How much is shown of what may be read."""

    FULL = "full"
    # Of a chat that was shared.
    RESTRICTED = "restricted"
    # By a public link.
    GUEST = "guest"
    # That there is such a chat, whose, and how it is: for who acts or lists without reading.
    LIGHT = "light"


class Allow(Struct, frozen=True, kw_only=True):
    view: View = View.FULL
    # The deed is written down.
    audited: bool = False
    # Only to what is the caller's own.
    only_own: bool = False


class Refuse(Struct, frozen=True):
    code: str
    # What the token would need.
    scope: TokenScope | None = None


class Hide(Struct, frozen=True):
    """For this caller there is no such chat."""


Answer: TypeAlias = Allow | Refuse | Hide

_ALLOWED = {
    Cell.YES: Allow(),
    Cell.LESS: Allow(view=View.RESTRICTED),
    Cell.GUEST: Allow(view=View.GUEST),
    Cell.AUDIT: Allow(audited=True),
    Cell.OWN: Allow(only_own=True),
}
_SUSPENDED = Refuse("account_suspended")
_NOT_PERMITTED = Refuse("not_permitted")
_HIDE = Hide()


def permit(
    standing: Standing,
    deed: Deed,
    relation: Relation | None = None,
    policy: Policy = USUAL_POLICY,
    *,
    family: ChatId | None = None,
) -> Answer:
    """`relation` and `family`, which is the root of the chat's, are for deeds of a chat, and for no other."""
    refused = refused_at_door(standing, deed)
    if refused is not None:
        return refused
    if deed in OTHER_DEEDS:
        return _ALLOWED.get(_cell(OTHER_DEEDS[deed], standing), _NOT_PERMITTED)
    assert relation is not None, f"{deed} is done to a chat"
    if standing.family is not None and standing.family != family:
        return _HIDE
    allowed = _in_chat(standing, deed, relation, policy)
    if allowed is not None:
        return allowed
    knows_it = any(_in_chat(standing, other, relation, policy) for other in CHAT_DEEDS)
    return _NOT_PERMITTED if knows_it else _HIDE


def refused_at_door(standing: Standing, deed: Deed) -> Refuse | None:
    """What can be said before it is known which chat is meant, and so tells nothing of it."""
    if standing.suspended:
        return _SUSPENDED
    scope = scope_of(deed)
    if scope is not None and scope not in standing.scopes:
        return Refuse("scope_missing", scope)
    if standing.family is not None and deed in OTHER_DEEDS and deed not in BESIDE_ONE_FAMILY:
        return _NOT_PERMITTED
    return None


def scope_of(deed: Deed) -> TokenScope | None:
    row: ChatRow | Row = CHAT_DEEDS[deed] if deed in CHAT_DEEDS else OTHER_DEEDS[deed]
    return row.scope


def _cell(row: Row, standing: Standing) -> Cell:
    if standing.kind is UserKind.END_USER:
        return row.end_user
    match standing.role:
        case UserRole.ADMIN:
            return row.admin
        case UserRole.AUDITOR:
            return row.auditor
        case UserRole.MEMBER:
            return row.member
        case UserRole.VIEWER:
            return row.viewer


def _in_chat(standing: Standing, deed: Deed, relation: Relation, policy: Policy) -> Allow | None:
    """What the caller is to the chat counts before what they are to the deployment."""
    if relation is Relation.GUEST and not policy.public_links:
        return None
    row = CHAT_DEEDS[deed]
    cell = _related(row, deed, standing, relation)
    if cell is Cell.NO and standing.role is UserRole.ADMIN and standing.kind is not UserKind.END_USER:
        cell = row.admin
    if cell is Cell.AUDIT and policy.admins_read_chats is AdminsRead.NEVER:
        return None
    return _ALLOWED.get(cell)


def _related(row: ChatRow, deed: Deed, standing: Standing, relation: Relation) -> Cell:
    only_views = standing.role is UserRole.VIEWER
    match relation:
        case Relation.OWNER if standing.kind is UserKind.END_USER and deed in NOT_OF_END_USERS:
            return Cell.NO
        case Relation.OWNER if only_views and deed not in OF_OWNERS_WHO_ONLY_VIEW:
            return Cell.NO
        case Relation.OWNER:
            return row.owner
        case Relation.WRITER if not only_views:
            return row.writer
        case Relation.WRITER | Relation.READER:
            return row.reader
        case Relation.STEWARD:
            return row.steward
        case Relation.GUEST:
            return row.guest
        case Relation.STRANGER:
            return Cell.NO
