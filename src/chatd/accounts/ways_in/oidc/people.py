"""Which user a person of the provider is: the one of before, one who was invited, or a new one."""

from collections.abc import Sequence

import structlog
from msgspec import Struct

from chatd.accounts.lives.lives import set_role
from chatd.accounts.users import of_user, profile_in, set_email, user_of
from chatd.accounts.ways_in.declared import Oidc, SignUp
from chatd.accounts.ways_in.oidc.claims import Person, role_of
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.accounts.ways_in.provider_groups import replace_provider_groups
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, Changes
from chatd.domain.people.roles import UserKind, UserRole
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Row
from chatd.storage.tables.audit import record

log = structlog.get_logger()

# Of a name that somebody else has: `anna-2` and so on, and then with a piece of an id.
NUMBERED_MAX = 9
# As many letters of a name are kept, so that there is room for that.
NAME_LENGTH_KEPT = 90


class Met(Exception):
    """Another browser of the same person came at the same time and was first. Again, and it is known."""


class _Coming(Struct, frozen=True, kw_only=True):
    way: Oidc
    person: Person
    role: UserRole | None
    by: AskedBy


async def user_for(
    tx: Connection, way: Oidc, person: Person, *, link_to: UserId | None, by: AskedBy
) -> UserId:
    """The user, with the groups and the role that the provider says. Raises NotSignedIn, and Met."""
    coming = _Coming(way=way, person=person, role=role_of(person, way), by=by)
    known = await tx.one("user_of_identity", way.issuer, person.subject)
    if known is None:
        user_id = await _joined(tx, coming, link_to)
    else:
        user_id = _of_before(known, link_to)
    await tx.run("use_identity", way.issuer, person.subject)
    if coming.role is not None:
        await set_role(tx, user_id, coming.role, by=by)
    if person.email is not None:
        await set_email(tx, user_id, person.email, is_verified=person.email_verified)
    if person.groups is not None:
        await replace_provider_groups(tx, user_id, person.groups)
    return user_id


def _of_before(known: Row, link_to: UserId | None) -> UserId:
    user = user_of(known)
    if link_to is not None and user.id != link_to:
        raise NotSignedIn(Failure.TAKEN, "the identity is joined to another user")
    if known[-1]:
        raise NotSignedIn(Failure.SUSPENDED, "the user is suspended")
    return user.id


async def _joined(tx: Connection, coming: _Coming, link_to: UserId | None) -> UserId:
    """Joined to the user who has asked for it; to the one of the same address; or a new one."""
    way = coming.way
    if link_to is not None:
        await _check_active(tx, link_to)
    user_id = link_to or await _of_same_address(tx, coming)
    if user_id is not None:
        await _join(tx, coming, user_id)
        changes: Changes = {"identity": way.issuer}
        await record(tx, coming.by, of_user(AuditDeed.USER_CHANGED, user_id, changes))
        return user_id
    if way.sign_up is SignUp.INVITED:
        raise NotSignedIn(Failure.NOT_INVITED, "the person is no user, and `sign_up` is `invited`")
    role = coming.role or way.role_default
    user_id, name = await _new_user(tx, coming.person, role)
    await _join(tx, coming, user_id)
    changes = {"name": name, "role": role, "identity": way.issuer}
    await record(tx, coming.by, of_user(AuditDeed.USER_CREATED, user_id, changes))
    return user_id


async def _check_active(tx: Connection, user_id: UserId) -> None:
    row = await tx.one("user_profile", user_id)
    profile = profile_in(row) if row is not None else None
    if profile is None or profile.deleted_at is not None or profile.suspended_at is not None:
        raise NotSignedIn(Failure.SUSPENDED, "the user who has asked for it is suspended or gone")


async def _of_same_address(tx: Connection, coming: _Coming) -> UserId | None:
    """Verified on both sides, of one user alone, and of none who runs the server.

    Nor of one who came from this provider already: the address was given to another person there.
    """
    person = coming.person
    if not coming.way.link_by_email or person.email is None or not person.email_verified:
        return None
    found: Sequence[Row] = await tx.all("users_of_verified_email", person.email.casefold())
    if len(found) != 1:
        return None
    user = user_of(found[0])
    if user.role is UserRole.ADMIN or user.kind is not UserKind.PERSON:
        log.warning("oidc.not_joined", user=user.name, why="an administrator is never joined by an address")
        return None
    if await tx.one("has_identity_at", user.id, coming.way.issuer) is not None:
        return None
    if found[0][-1]:
        raise NotSignedIn(Failure.SUSPENDED, "the user is suspended")
    return user.id


async def _join(tx: Connection, coming: _Coming, user_id: UserId) -> None:
    if await tx.one("insert_identity", coming.way.issuer, coming.person.subject, user_id) is None:
        raise Met


async def _new_user(tx: Connection, person: Person, role: UserRole) -> tuple[UserId, str]:
    user_id = UserId(new_id())
    kept = person.name[:NAME_LENGTH_KEPT]
    names = [
        person.name,
        *(f"{kept}-{number}" for number in range(2, NUMBERED_MAX + 1)),
        f"{kept}-{user_id[-8:]}",
    ]
    for name in names:
        if await tx.one("insert_person", user_id, name, role.value, name.casefold(), person.display_name):
            return user_id, name
    raise Met
