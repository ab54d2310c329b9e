"""Grants: that a user, a group or everyone may read or write one family of chats (pure)."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import Micros, UserId
from chatd.domain.people.permit import Policy, Relation, Sharing
from chatd.domain.people.roles import UserKind

# Of one family.
GRANTS_MAX = 100
# The subject of what is granted to everyone.
ALL = "all"


class GrantKind(StrEnum):
    USER = "user"
    GROUP = "group"
    EVERYONE = "everyone"


class GrantRole(StrEnum):
    READER = "reader"
    WRITER = "writer"


class Grant(Struct, frozen=True, kw_only=True):
    kind: GrantKind
    subject_id: str
    role: GrantRole
    made_by: UserId
    made_at: Micros
    expires_at: Micros | None = None


def is_of_user(grant: Grant, user_id: UserId) -> bool:
    """Whether it is this user's own. What a group was granted is nobody's own."""
    return grant.kind is GrantKind.USER and grant.subject_id == user_id


def may_be_made(kind: GrantKind, policy: Policy) -> bool:
    if kind is GrantKind.EVERYONE:
        return policy.sharing is Sharing.EVERYONE
    return policy.sharing is not Sharing.OFF


def is_for_everyone(kind: UserKind, policy: Policy) -> bool:
    """Whether a user of this kind is meant by everyone: end users know of no other people."""
    return kind is not UserKind.END_USER and policy.sharing is Sharing.EVERYONE


def widens(before: Grant | None, role: GrantRole, expires_at: Micros | None) -> bool:
    """Whether somebody may do more than before with this role until then."""
    if before is None:
        return True
    if role is GrantRole.WRITER and before.role is GrantRole.READER:
        return True
    return before.expires_at is not None and (expires_at is None or expires_at > before.expires_at)


def best_of(roles: Iterable[GrantRole]) -> Relation:
    granted = set(roles)
    if GrantRole.WRITER in granted:
        return Relation.WRITER
    return Relation.READER if granted else Relation.STRANGER
