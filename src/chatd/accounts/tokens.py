"""Tokens: what a caller shows. We keep only their hashes, so a copy of the database opens nothing."""

import hashlib
import secrets

from chatd.domain.ids import UserId
from chatd.storage.database import Database

# Recognisable, so that a scanner finds a token that went where it should not be.
PREFIX = "chatd_"
RANDOM_BYTES = 32


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
