"""Users: who may ask, and for what."""

from msgspec import Struct

from chatd.accounts.tokens import hash_of
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.errors import BadInput
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Pace, Row

NAME_LENGTH_MAX = 100


class User(Struct, frozen=True):
    id: UserId
    name: str
    role: UserRole


async def create_user(db: Database, name: str, role: UserRole) -> User:
    """Raises BadInput when the name is taken, or cannot be one."""
    if not name.strip() or len(name) > NAME_LENGTH_MAX or not is_plain(name):
        raise BadInput(
            "bad_name", f"A user's name has 1 to {NAME_LENGTH_MAX} visible characters.", field="name"
        )
    user = User(UserId(new_id()), name, role)
    inserted = await db.write(lambda tx: tx.one("insert_user", user.id, user.name, user.role.value))
    if inserted is None:
        raise BadInput("name_taken", f"There is a user {name!r} already.", field="name")
    return user


async def user_named(db: Database, name: str) -> User | None:
    return await db.read(lambda tx: _one(tx, "user_named", name))


async def is_only_user(db: Database) -> bool:
    """Whether there is no second one."""
    row = await db.read(lambda tx: tx.one("count_users_to_two"), pace=Pace.ONE_QUERY)
    return row is not None and row[0] < 2  # noqa: PLR2004 - as in the name of the query


async def user_of_token(db: Database, token: str) -> User | None:
    """Found by the token's hash, so the time it takes says nothing about the token."""
    return await user_of_hash(db, hash_of(token))


async def user_of_hash(db: Database, token_hash: str) -> User | None:
    return await db.read(lambda tx: _one(tx, "user_of_token", token_hash), pace=Pace.ONE_QUERY)


async def _one(tx: Connection, query: str, argument: str) -> User | None:
    row = await tx.one(query, argument)
    return user_of(row) if row is not None else None


def user_of(row: Row) -> User:
    id_, name, role = row
    return User(UserId(id_), name, UserRole(role))
