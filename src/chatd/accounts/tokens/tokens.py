"""Tokens: what a caller shows. We keep only their hashes, so a copy of the database opens nothing."""

import hashlib
import secrets
from collections.abc import Sequence

from msgspec import Struct

from chatd.accounts.tokens.rates import rates_in, stored_rates
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.audit import (
    CHANGED,
    THE_SERVER,
    AskedBy,
    AuditDeed,
    AuditEntry,
    Changes,
    TargetKind,
)
from chatd.domain.people.rates import NO_RATES, Rates
from chatd.domain.people.scopes import ALL_SCOPES, TokenScope
from chatd.errors import NotAllowed
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Database, Row
from chatd.storage.tables.audit import record

# Recognisable, so that a scanner finds a token that went where it should not be.
PREFIX = "chatd_"
RANDOM_BYTES = 32
# How much of a token is shown later, to recognise it by: its prefix, and 24 of 256 random bits.
SHOWN_LENGTH = 10
# Of one user.
TOKENS_MAX = 50
# How long a token counts if nothing else is said, and at most.
TOKEN_DAYS, TOKEN_DAYS_MAX = 90, 365
# How long the secret before the last rotation may still count.
OLD_SECONDS_MAX = 24 * 3600
# A use is written down when the last one is older than this.
NOTED_AFTER_MICROS = 3600 * 1_000_000
DAY_MICROS = 24 * 3600 * 1_000_000


class TokenInfo(Struct, frozen=True, kw_only=True):
    """What may be told of a token."""

    id: str
    name: str
    # The beginning of its secret; nothing of one that the server made for itself.
    shown: str
    scopes: frozenset[TokenScope]
    created_at: Micros
    expires_at: Micros | None
    # To about an hour.
    used_at: Micros | None
    # Until when the secret before the last rotation counts.
    old_until: Micros | None
    # The root of the only family of chats that it is good for.
    family: ChatId | None = None
    # Who has made it, if it was not its user.
    made_by: UserId | None = None
    rates: Rates = NO_RATES


class Wanted(Struct, frozen=True, kw_only=True):
    """A token to be made."""

    name: str
    scopes: frozenset[TokenScope]
    days: int = TOKEN_DAYS
    # A token that makes another one ends no earlier.
    not_after: Micros | None = None
    # The root of the only family of chats that it is good for.
    family: ChatId | None = None
    # Who makes it, if it is not its user.
    made_by: UserId | None = None
    # How often it may be used, where that is less than its user may do.
    rates: Rates = NO_RATES


def new_token() -> str:
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def hash_of(token: str) -> str:
    """A plain hash is enough: a token is no password, 32 random bytes cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


async def create_token(
    db: Database, user_id: UserId, name: str, *, scopes: frozenset[TokenScope] = ALL_SCOPES
) -> str:
    """A new token of this user, without an end. It is shown here, and never again."""
    token = new_token()
    await db.write(lambda tx: _insert(tx, user_id, token, Wanted(name=name, scopes=scopes), None))
    return token


async def add_token(
    db: Database, user_id: UserId, wanted: Wanted, *, by: AskedBy = THE_SERVER
) -> tuple[str, TokenInfo]:
    """The same for a user who asks for it, within bounds. Raises NotAllowed."""
    token = new_token()

    async def body(tx: Connection) -> TokenInfo:
        # Of two additions at once, both would find room for one more.
        await tx.all("lock_user", user_id)
        await tx.run("delete_ended_tokens", user_id)
        counted = await tx.one("count_tokens", user_id)
        if counted is not None and counted[0] >= TOKENS_MAX:
            raise NotAllowed(
                "too_many_tokens",
                f"There are {TOKENS_MAX} tokens, and there can be no more.",
                hint="Revoke one that you do not need.",
            )
        now = await tx.one("now")
        assert now is not None
        ends = Micros(now[0] + wanted.days * DAY_MICROS)
        if wanted.not_after is not None:
            ends = min(ends, wanted.not_after)
        token_id = await _insert(tx, user_id, token, wanted, ends)
        changes = {
            "user_id": user_id,
            "name": wanted.name,
            "scopes": sorted(wanted.scopes),
            "expires_at": ends,
        }
        await record(tx, by, of_token(AuditDeed.TOKEN_CREATED, token_id, changes))
        return next(each for each in await _listed(tx, user_id) if each.id == token_id)

    return token, await db.write(body)


async def rotate_token(
    db: Database, user_id: UserId, token_id: str, *, old_seconds: int, by: AskedBy = THE_SERVER
) -> tuple[str, TokenInfo] | None:
    """The same token with another secret; the old one counts for so long. None: there is none that counts.

    Browsers that were signed in with it are signed out at once: they would outlive the old secret.
    """
    token = new_token()

    async def body(tx: Connection) -> TokenInfo | None:
        micros = old_seconds * 1_000_000
        if await tx.one("rotate_token", user_id, token_id, hash_of(token), _shown(token), micros) is None:
            return None
        await tx.run("delete_sign_ins_of_token", user_id, token_id)
        changes = {"user_id": user_id, "secret": CHANGED, "old_seconds": old_seconds}
        await record(tx, by, of_token(AuditDeed.TOKEN_ROTATED, token_id, changes))
        return next(each for each in await _listed(tx, user_id) if each.id == token_id)

    info = await db.write(body)
    return (token, info) if info is not None else None


async def tokens_of(db: Database, user_id: UserId) -> Sequence[TokenInfo]:
    """The newest first."""
    return await db.read(lambda tx: _listed(tx, user_id))


async def revoke_token(db: Database, user_id: UserId, token_id: str, *, by: AskedBy = THE_SERVER) -> bool:
    """Whether the user had such a token. Browsers that were signed in with it are signed out."""

    async def body(tx: Connection) -> bool:
        row = await tx.one("delete_token", user_id, token_id)
        if row is None:
            return False
        changes = {"user_id": user_id, "name": row[0]}
        await record(tx, by, of_token(AuditDeed.TOKEN_REVOKED, token_id, changes))
        return True

    return await db.write(body)


def scopes_in(words: str) -> frozenset[TokenScope]:
    return frozenset(map(TokenScope, words.split()))


async def _insert(tx: Connection, user_id: UserId, token: str, wanted: Wanted, ends: Micros | None) -> str:
    token_id = new_id()
    scopes = " ".join(sorted(wanted.scopes))
    await tx.run(
        "insert_scoped_token",
        token_id,
        hash_of(token),
        user_id,
        wanted.name,
        _shown(token),
        scopes,
        ends,
        wanted.family,
        wanted.made_by,
        stored_rates(wanted.rates),
    )
    return token_id


def of_token(deed: AuditDeed, token_id: str, changes: Changes) -> AuditEntry:
    """What is written down of something that was done to a token."""
    return AuditEntry(deed=deed, target_kind=TargetKind.TOKEN, target_id=token_id, changes=changes)


def _shown(token: str) -> str:
    return token[:SHOWN_LENGTH]


async def _listed(tx: Connection, user_id: UserId) -> Sequence[TokenInfo]:
    return [_info(row) for row in await tx.all("tokens_of_user", user_id)]


def _info(row: Row) -> TokenInfo:
    id_, name, shown, scopes, created_at, expires_at, used_at, old_until, family, made_by, rates = row
    return TokenInfo(
        id=id_,
        name=name,
        shown=shown,
        scopes=scopes_in(scopes),
        created_at=created_at,
        expires_at=expires_at,
        used_at=used_at,
        old_until=old_until,
        family=family,
        made_by=made_by,
        rates=rates_in(rates),
    )
