"""Speaking for others: whom a service means, and tokens with which they speak for themselves for a while.

An end user is made when their service first speaks for them. Of two first requests at once, one makes them.
"""

import re

from msgspec import Struct

from chatd.accounts.tokens.shown import OF_USER, speaker_in
from chatd.accounts.tokens.tokens import SHOWN_LENGTH, TOKENS_MAX, hash_of, new_token, of_token
from chatd.accounts.users import NAME_LENGTH_MAX, User, of_user, user_of
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed
from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.errors import NotAllowed
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.tables.audit import record

# What a service calls an end user: visible ASCII, and no name of ours.
EXTERNAL_ID = re.compile(r"[!-?A-~][!-~]{0,199}")
EXTERNAL_ID_LENGTH_MAX = 200
# Before the name of a person of the deployment.
AT = "@"
# How long a token for somebody counts, at least and at most.
SECONDS_MIN, SECONDS_MAX = 60, 24 * 3600
USER_TOKEN_NAME = "for a page"  # noqa: S105 - a name


class UserTokenWanted(Struct, frozen=True, kw_only=True):
    scopes: frozenset[TokenScope]
    seconds: int
    # The root of the only family of chats that it is good for.
    family: ChatId | None = None
    # When the token ends with which it is asked for.
    not_after: Micros | None = None


class UserToken(Struct, frozen=True, kw_only=True):
    token: str
    expires_at: Micros


async def spoken_for(db: Database, service: User, named: str, *, by: AskedBy = THE_SERVER) -> User | None:
    """Whom the service means. None: it may not speak for them, or there is no such person.

    Raises NotAllowed when the service has as many end users as it may have.
    """
    query, name = _meant(named)
    row = await db.read(lambda tx: tx.one(query, service.id, name), pace=Pace.ONE_QUERY)
    if row is not None:
        user, suspended = user_of(row), bool(row[OF_USER])
        speaker = speaker_in(row[OF_USER + 1 :], user, suspended=suspended)
        return user if speaker is not None and speaker.may and not speaker.suspended else None
    if named.startswith(AT):
        return None
    return await db.write(lambda tx: _make(tx, service, named, by))


async def _make(tx: Connection, service: User, external_id: str, by: AskedBy) -> User | None:
    row = await tx.one("lock_service", service.id)
    if row is None or ActsFor(row[0]) is not ActsFor.END_USERS:
        return None
    # Another request was first.
    found = await tx.one("end_user_spoken_for", service.id, external_id)
    if found is not None:
        return user_of(found) if not found[OF_USER] else None
    if not row[1]:
        raise NotAllowed(
            "too_many_end_users",
            "This service has as many end users as it may have.",
            hint="An administrator can raise `end_users_max`, or delete some of them.",
        )
    user = User(UserId(new_id()), external_id, UserRole.MEMBER, UserKind.END_USER, service.id)
    await tx.run("insert_end_user", user.id, external_id, service.id)
    await tx.run("count_end_users", service.id, 1)
    changes = {"service_id": service.id, "external_id": external_id}
    await record(tx, by, of_user(AuditDeed.USER_CREATED, user.id, changes))
    return user


async def add_user_token(
    db: Database, service: User, user: User, wanted: UserTokenWanted, *, by: AskedBy = THE_SERVER
) -> UserToken:
    """A token for somebody for whom the service may speak; of too many, the oldest ends."""
    token, token_id = new_token(), new_id()

    async def body(tx: Connection) -> Micros:
        await tx.all("lock_user", user.id)
        await tx.run("delete_ended_tokens", user.id)
        await tx.run("delete_oldest_user_tokens", user.id, service.id, TOKENS_MAX - 1)
        row = await tx.one(
            "insert_user_token",
            token_id,
            hash_of(token),
            user.id,
            USER_TOKEN_NAME,
            token[:SHOWN_LENGTH],
            " ".join(sorted(wanted.scopes)),
            service.id,
            wanted.family,
            wanted.seconds * 1_000_000,
            wanted.not_after,
        )
        assert row is not None
        changes = {"user_id": user.id, "chat_id": wanted.family, "scopes": sorted(wanted.scopes)}
        await record(tx, by, of_token(AuditDeed.TOKEN_CREATED, token_id, changes))
        return Micros(row[0])

    return UserToken(token=token, expires_at=await db.write(body))


def is_spoken_name(named: str) -> bool:
    """Whether somebody can be called so by a service."""
    if named.startswith(AT):
        return 1 < len(named) <= NAME_LENGTH_MAX + 1 and is_plain(named)
    return EXTERNAL_ID.fullmatch(named) is not None


def _meant(named: str) -> tuple[str, str]:
    """With which query to look for which name."""
    if named.startswith(AT):
        return "person_spoken_for", named[1:].casefold()
    return "end_user_spoken_for", named
