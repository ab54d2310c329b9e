"""Codes of one-time links: each lets one browser in, once, and for a short time.

A link has its code behind `#`, in the part of an address that browsers keep to themselves: no log of a
server or a proxy sees it. The page sends it in the body of a request.
"""

import secrets
from collections.abc import Mapping
from enum import StrEnum

from chatd.accounts.tokens.tokens import RANDOM_BYTES, hash_of
from chatd.accounts.users import of_user
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed
from chatd.storage.database import Connection, Database
from chatd.storage.tables.audit import record

# Open codes of one user. One more, and the oldest lets no browser in any more.
CODES_MAX = 20

_MINUTE_MICROS = 60 * 1_000_000


class Purpose(StrEnum):
    # Printed for the operator, who reads it at once.
    TERMINAL = "terminal"
    # For a user who has no way in any more.
    RECOVER = "recover"
    # For a new user.
    INVITE = "invite"


LASTS_MICROS: Mapping[Purpose, int] = {
    Purpose.TERMINAL: 10 * _MINUTE_MICROS,
    Purpose.RECOVER: 60 * _MINUTE_MICROS,
    Purpose.INVITE: 7 * 24 * 60 * _MINUTE_MICROS,
}


async def new_code(db: Database, user_id: UserId, purpose: Purpose, *, by: AskedBy = THE_SERVER) -> str:
    """A code for this user. It is shown here, and never again."""
    code = secrets.token_urlsafe(RANDOM_BYTES)

    async def body(tx: Connection) -> None:
        await tx.run("delete_expired_sign_in_codes")
        await tx.run("insert_sign_in_code", hash_of(code), purpose.value, user_id, LASTS_MICROS[purpose])
        await tx.run("delete_oldest_sign_in_codes", user_id, CODES_MAX)
        await record(tx, by, of_user(AuditDeed.USER_LINKED, user_id, {"purpose": purpose}))

    await db.write(body)
    return code


async def use_code(tx: Connection, code: str) -> UserId | None:
    """Whom it lets in. None for one that is unknown, used or expired: a caller is told the same of all."""
    row = await tx.one("use_sign_in_code", hash_of(code))
    return UserId(row[0]) if row is not None else None


def link_with(address: str, code: str) -> str:
    return f"{address.rstrip('/')}/sign-in#{code}"
