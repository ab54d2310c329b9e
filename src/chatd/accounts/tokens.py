"""Tokens: what a caller shows. We keep only their hashes, so a copy of the database opens nothing."""

import hashlib
import secrets
from collections.abc import Sequence

from msgspec import Struct

from chatd.domain.ids import Micros, UserId
from chatd.errors import NotAllowed
from chatd.storage.database import Connection, Database

# Recognisable, so that a scanner finds a token that went where it should not be.
PREFIX = "chatd_"
RANDOM_BYTES = 32
# Of one user.
TOKENS_MAX = 50


class TokenInfo(Struct, frozen=True, kw_only=True):
    """What may be told of a token. Its id is the beginning of its hash."""

    id: str
    name: str
    created_at: Micros


def new_token() -> str:
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def hash_of(token: str) -> str:
    """A plain hash is enough: a token is no password, 32 random bytes cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


async def create_token(db: Database, user_id: UserId, name: str) -> str:
    """A new token of this user. It is shown here, and never again."""
    token = new_token()
    await db.write(lambda tx: tx.run("insert_token", hash_of(token), user_id, name))
    return token


async def add_token(db: Database, user_id: UserId, name: str) -> tuple[str, TokenInfo]:
    """The same for a user who asks for it, within bounds. Raises NotAllowed."""
    token = new_token()

    async def body(tx: Connection) -> TokenInfo:
        # Of two additions at once, both would find room for one more.
        await tx.all("lock_user", user_id)
        if len(await tx.all("tokens_of_user", user_id)) >= TOKENS_MAX:
            raise NotAllowed(
                "too_many_tokens",
                f"You have {TOKENS_MAX} tokens, and there can be no more.",
                hint="Revoke one that you do not need.",
            )
        await tx.run("insert_token", hash_of(token), user_id, name)
        return next(each for each in await _listed(tx, user_id) if hash_of(token).startswith(each.id))

    return token, await db.write(body)


async def tokens_of(db: Database, user_id: UserId) -> Sequence[TokenInfo]:
    """The newest first."""
    return await db.read(lambda tx: _listed(tx, user_id))


async def revoke_token(db: Database, user_id: UserId, token_id: str) -> bool:
    """Whether the user had such a token. Browsers that were signed in with it are signed out."""
    return await db.write(lambda tx: tx.one("delete_token", user_id, token_id)) is not None


async def _listed(tx: Connection, user_id: UserId) -> Sequence[TokenInfo]:
    rows = await tx.all("tokens_of_user", user_id)
    return [TokenInfo(id=id_, name=name, created_at=created_at) for id_, name, created_at in rows]
