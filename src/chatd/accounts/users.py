"""Users: who may ask, and for what."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.accounts.tokens import hash_of
from chatd.domain.ids import Micros, UserId
from chatd.domain.people.audit import (
    NO_CHANGES,
    THE_SERVER,
    AskedBy,
    AuditDeed,
    AuditEntry,
    Changes,
    TargetKind,
)
from chatd.domain.people.roles import UserKind, UserRole
from chatd.errors import BadInput, NotAllowed
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Pace, Row
from chatd.storage.tables.audit import record

NAME_LENGTH_MAX = 100
DISPLAY_NAME_LENGTH_MAX = 200
# Of one page of a list.
USERS_MAX = 100


class User(Struct, frozen=True):
    id: UserId
    name: str
    role: UserRole
    kind: UserKind = UserKind.PERSON
    # Of an end user: the service that speaks for them.
    service_id: UserId | None = None


class Profile(Struct, frozen=True, kw_only=True):
    """What administrators are told of a user."""

    user: User
    display_name: str
    created_at: Micros
    suspended_at: Micros | None
    deleted_at: Micros | None


async def create_user(
    db: Database, name: str, role: UserRole, display_name: str = "", *, by: AskedBy = THE_SERVER
) -> User:
    """Raises BadInput when it cannot be a name, NotAllowed when another user has it."""
    if not name.strip() or len(name) > NAME_LENGTH_MAX or not is_plain(name):
        raise BadInput(
            "bad_name", f"A user's name has 1 to {NAME_LENGTH_MAX} visible characters.", field="name"
        )
    user = User(UserId(new_id()), name, role)

    async def body(tx: Connection) -> None:
        inserted = await tx.one("insert_person", user.id, name, role.value, name.casefold(), display_name)
        if inserted is None:
            raise name_taken(name)
        await record(tx, by, of_user(AuditDeed.USER_CREATED, user.id, {"name": name, "role": role}))

    await db.write(body)
    return user


def of_user(deed: AuditDeed, user_id: UserId, changes: Changes = NO_CHANGES) -> AuditEntry:
    """What is written down of something that was done to a user."""
    return AuditEntry(deed=deed, target_kind=TargetKind.USER, target_id=user_id, changes=changes)


def name_taken(name: str) -> NotAllowed:
    return NotAllowed("name_taken", f"There is a user {name!r} already.", field="name")


async def user_named(db: Database, name: str) -> User | None:
    return await db.read(lambda tx: _one(tx, "user_named", name.casefold()))


async def profile_of(db: Database, user_id: UserId) -> Profile | None:
    row = await db.read(lambda tx: tx.one("user_profile", user_id))
    return profile_in(row) if row is not None else None


async def list_users(
    db: Database, *, after: str = "", role: UserRole | None = None, part: str = "", limit: int = USERS_MAX
) -> Sequence[Profile]:
    """Those whose names come behind `after`, in the order of their names. `part` is a part of the name."""
    pattern = f"%{_escaped(part.casefold())}%" if part else None
    rows = await db.read(
        lambda tx: tx.all("users_after", after.casefold(), role.value if role else None, pattern, limit)
    )
    return [profile_in(row) for row in rows]


async def is_only_user(db: Database) -> bool:
    """Whether there is no second one."""
    row = await db.read(lambda tx: tx.one("count_users_to_two"), pace=Pace.ONE_QUERY)
    return row is not None and row[0] < 2  # noqa: PLR2004 - as in the name of the query


async def user_of_token(db: Database, token: str) -> User | None:
    """Found by the token's hash, so the time it takes says nothing about the token."""
    row = await db.read(lambda tx: tx.one("user_of_token", hash_of(token), 0), pace=Pace.ONE_QUERY)
    return user_of(row) if row is not None else None


async def _one(tx: Connection, query: str, argument: str) -> User | None:
    row = await tx.one(query, argument)
    return user_of(row) if row is not None else None


def user_of(row: Row) -> User:
    """The columns of a user come first."""
    id_, name, role, kind, service_id, *_ = row
    return User(UserId(id_), name, UserRole(role), UserKind(kind), service_id)


def profile_in(row: Row) -> Profile:
    *_, display_name, created_at, suspended_at, deleted_at = row
    return Profile(
        user=user_of(row),
        display_name=display_name,
        created_at=created_at,
        suspended_at=suspended_at,
        deleted_at=deleted_at,
    )


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
