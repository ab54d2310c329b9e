"""Who comes in with the header of a proxy: the user of that name, who may be new.

The proxy is known as an issuer of its own. A user who was made here and has the name is joined to it when
they first come, unless they run the server: then somebody who may choose their name at the proxy would.
"""

from collections.abc import Sequence

from chatd.accounts.tokens.admitted import Admitted, check_active
from chatd.accounts.users import User, of_user, user_of
from chatd.accounts.ways_in.declared import ProxyHeader, SignUp
from chatd.accounts.ways_in.provider_groups import is_in_others, replace_provider_groups
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed
from chatd.domain.people.roles import UserKind, UserRole
from chatd.errors import Unauthenticated
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Database, Pace, Row
from chatd.storage.tables.audit import record

ISSUER = "proxy-header"


async def with_header(
    db: Database, way: ProxyHeader, name: str, groups: Sequence[str] | None, *, by: AskedBy
) -> tuple[Admitted, bool]:
    """Whom it lets in, and whether their groups have changed. Raises Unauthenticated."""
    key = name.casefold()
    row = await db.read(lambda tx: tx.one("user_of_identity", ISSUER, key), pace=Pace.ONE_QUERY)
    if row is None:
        row = await db.write(lambda tx: _joined(tx, way, name, by))
    check_active(is_suspended=row[-1])
    user = user_of(row)
    changed = groups is not None and await _has_changed(db, user.id, groups)
    return Admitted(user=user), changed


async def _joined(tx: Connection, way: ProxyHeader, name: str, by: AskedBy) -> Row:
    """Of two that come at once, the second finds what the first has made."""
    key = name.casefold()
    made = None
    if way.sign_up is SignUp.AUTO:
        made = await tx.one("insert_person", new_id(), name, way.role_default.value, key, "")
    found = await tx.one("user_named", key)
    if found is None:
        raise _refused(f"There is no user {name!r} here, and nobody has invited them.")
    user: User = user_of(found)
    known = await tx.one("user_of_identity", ISSUER, key)
    if known is not None:
        return known
    if user.role is UserRole.ADMIN or user.kind is not UserKind.PERSON:
        raise _refused(f"The user {name!r} of this server is not let in by the proxy.")
    await tx.one("insert_identity", ISSUER, key, user.id)
    joined = await tx.one("user_of_identity", ISSUER, key)
    assert joined is not None
    if made is not None:
        changes = {"name": name, "role": way.role_default}
        await record(tx, by, of_user(AuditDeed.USER_CREATED, user.id, changes))
    else:
        await record(tx, by, of_user(AuditDeed.USER_CHANGED, user.id, {"identity": ISSUER}))
    return joined


async def _has_changed(db: Database, user_id: UserId, groups: Sequence[str]) -> bool:
    """Written only when the proxy says something new."""
    if not await db.read(lambda tx: is_in_others(tx, user_id, groups)):
        return False
    return await db.write(lambda tx: replace_provider_groups(tx, user_id, groups))


def _refused(message: str) -> Unauthenticated:
    return Unauthenticated("unauthenticated", message, hint="An administrator can add them.")
