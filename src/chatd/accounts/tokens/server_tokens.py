"""Tokens of servers that share a database. Each counts while its server lives, and for a day after that.

Replicas without a lasting directory make a new one at every start, and nobody could tell whose the old ones
are. So a server says now and then that it lives with its token, and one that starts removes those of which
nobody has said so, and that nobody has used, for a day; and sooner if there are too many. What a server is
known to have, or somebody has revoked, is left as it is.
"""

from collections.abc import Awaitable, Callable

import structlog

from chatd.accounts.tokens.tokens import of_token
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AuditDeed
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.storage.database import Connection, Database
from chatd.storage.tables.audit import record

log = structlog.get_logger()

KEEP_SECONDS = 60.0
LEFT_SECONDS = 24 * 3600.0
# Whose server may still live: it says so every minute, unless the database was away.
QUIET_SECONDS = 1800.0
# Of those whose servers are quiet. More are made by a server that starts again and again.
QUIET_MAX = 50
# Removed at one start.
REMOVED_MAX = 1000


async def note_served(tx: Connection, token_hash: str) -> bool:
    """A server lives that has this token. Whether there is such a token."""
    return await tx.one("note_served", token_hash) is not None


async def remove_left(tx: Connection, admin_id: UserId, token_hash: str) -> None:
    """Tokens of servers that are gone. `token_hash` is our own."""
    spans = (int(seconds * 1_000_000) for seconds in (LEFT_SECONDS, QUIET_SECONDS))
    left = await tx.all("delete_left_server_tokens", admin_id, token_hash, *spans, QUIET_MAX, REMOVED_MAX)
    for token_id, name in left:
        changes = {"user_id": admin_id, "name": name, "why": "its server is gone"}
        await record(tx, THE_SERVER, of_token(AuditDeed.TOKEN_REVOKED, token_id, changes))


async def keep_token(
    db: Database, clock: Clock, token_hash: str, register_again: Callable[[], Awaitable[None]]
) -> None:
    """Until cancelled. A token that is not there any more was revoked, and stays so.

    A server that could not say for long that it lives, may find that another one has removed its token.
    """
    noted_at = clock.monotonic()
    while True:
        await clock.sleep(KEEP_SECONDS)
        try:
            is_there = await db.write(lambda tx: note_served(tx, token_hash))
            if not is_there and clock.monotonic() - noted_at < QUIET_SECONDS:
                log.warning("admin_token.revoked", hint="Remove its file, and start the server again.")
                return
            if not is_there:
                await register_again()
            noted_at = clock.monotonic()
        except Unavailable:
            pass  # The database has said so in the log.
