"""Users: who may ask, and for what."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from chatd.accounts.tokens.tokens import hash_of
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
from chatd.kit.codec import encode_text
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Pace, Row
from chatd.storage.tables.audit import record

NAME_LENGTH_MAX = 100
DISPLAY_NAME_LENGTH_MAX = 200
EMAIL_LENGTH_MAX = 254
# Of one page of a list.
USERS_MAX = 100
# Of a deployment, without end users, of whom each service has a number of its own.
ACCOUNTS_MAX = 100_000
# Who is looked for to share something with them.
FOUND_MAX = 20


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
    email: str | None
    created_at: Micros
    suspended_at: Micros | None
    deleted_at: Micros | None


class Wanted(Struct, frozen=True, kw_only=True):
    """Which users are to be listed; None: all."""

    role: UserRole | None = None
    kind: UserKind | None = None
    suspended: bool | None = None
    # A part of the name.
    part: str = ""


async def create_user(
    db: Database,
    name: str,
    role: UserRole,
    display_name: str = "",
    *,
    email: str | None = None,
    by: AskedBy = THE_SERVER,
    then: Callable[[Connection, User], Awaitable[None]] | None = None,
) -> User:
    """Raises BadInput when it cannot be a name, NotAllowed when another user has it.

    `then` is done in the same transaction: if it raises, nobody was made.
    """
    check_name(name)
    user = User(UserId(new_id()), name, role)

    async def body(tx: Connection) -> None:
        await check_room(tx)
        inserted = await tx.one("insert_person", user.id, name, role.value, name.casefold(), display_name)
        if inserted is None:
            raise name_taken(name)
        if email is not None:
            await set_email(tx, user.id, email, is_verified=True)
        await record(tx, by, of_user(AuditDeed.USER_CREATED, user.id, {"name": name, "role": role}))
        if then is not None:
            await then(tx, user)

    await db.write(body)
    return user


def check_name(name: str) -> None:
    """Raises BadInput when it cannot be a name of a user."""
    if not name.strip() or len(name) > NAME_LENGTH_MAX or not is_plain(name):
        raise BadInput(
            "bad_name", f"A user's name has 1 to {NAME_LENGTH_MAX} visible characters.", field="name"
        )


async def check_room(tx: Connection) -> None:
    """Raises NotAllowed when there can be no more users."""
    counted = await tx.one("count_accounts")
    if counted is not None and counted[0] >= ACCOUNTS_MAX:
        raise NotAllowed(
            "too_many_users",
            f"There are {ACCOUNTS_MAX} users, and there can be no more.",
            hint="Delete some who have left.",
        )


def of_user(deed: AuditDeed, user_id: UserId, changes: Changes = NO_CHANGES) -> AuditEntry:
    """What is written down of something that was done to a user."""
    return AuditEntry(deed=deed, target_kind=TargetKind.USER, target_id=user_id, changes=changes)


async def set_email(tx: Connection, user_id: UserId, email: str | None, *, is_verified: bool) -> None:
    """`is_verified`: somebody whom we believe says that it is theirs."""
    key = email.casefold() if email is not None else None
    await tx.run("set_email", user_id, email, key, is_verified)


def name_taken(name: str) -> NotAllowed:
    return NotAllowed("name_taken", f"There is a user {name!r} already.", field="name")


async def user_named(db: Database, name: str) -> User | None:
    return await db.read(lambda tx: _one(tx, "user_named", name.casefold()))


async def profile_of(db: Database, user_id: UserId) -> Profile | None:
    row = await db.read(lambda tx: tx.one("user_profile", user_id))
    return profile_in(row) if row is not None else None


async def list_users(
    db: Database, *, after: str = "", wanted: Wanted | None = None, limit: int = USERS_MAX
) -> Sequence[Profile]:
    """Those whose names come behind `after`, in the order of their names. End users are in no list."""
    wanted = wanted or Wanted()
    rows = await db.read(
        lambda tx: tx.all(
            "users_after",
            after.casefold(),
            wanted.role,
            pattern_of(wanted.part),
            limit,
            wanted.kind,
            wanted.suspended,
        )
    )
    return [profile_in(row) for row in rows]


async def find_people(db: Database, part: str) -> Sequence[Profile]:
    """Active people with whom something could be shared, by a part of either of their names."""
    rows = await db.read(lambda tx: tx.all("find_people", pattern_of(part), FOUND_MAX))
    return [profile_in(row) for row in rows]


async def names_of(db: Database, user_ids: Iterable[str]) -> Mapping[str, str]:
    """Those that there are."""
    ids = encode_text(sorted(user_ids))
    return {row[0]: row[1] for row in await db.read(lambda tx: tx.all("names_of_users", ids))}


async def is_only_user(db: Database) -> bool:
    """Whether there is no second one."""
    return await db.read(is_only_user_in, pace=Pace.ONE_QUERY)


async def is_only_user_in(tx: Connection) -> bool:
    row = await tx.one("count_users_to_two")
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
    *_, display_name, email, created_at, suspended_at, deleted_at = row
    return Profile(
        user=user_of(row),
        display_name=display_name,
        email=email,
        created_at=created_at,
        suspended_at=suspended_at,
        deleted_at=deleted_at,
    )


def pattern_of(part: str) -> str | None:
    """What a name is like that has this part, in whichever case; None: any name."""
    if not part:
        return None
    escaped = part.casefold().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"
