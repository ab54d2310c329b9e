"""Sign-ins: browsers that were let in. Each holds a secret in a cookie, of which we keep the hash.

A sign-in ends seven days after its last use, and thirty after its beginning; when its user signs out; and
with the token that was shown for it.
"""

import secrets
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from chatd.accounts.shown import shown_token
from chatd.accounts.sign_in_codes import use_code
from chatd.accounts.tokens import RANDOM_BYTES, hash_of
from chatd.domain.ids import UserId
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Database

DAY_MICROS = 24 * 3600 * 1_000_000
UNUSED_MICROS = 7 * DAY_MICROS
LASTS_MICROS = 30 * DAY_MICROS
# A use is written down when the last one is older than this.
NOTED_AFTER_MICROS = 3600 * 1_000_000
# Of one user. One more, and the one that was not used for the longest time ends.
SIGN_INS_MAX = 20


class Method(StrEnum):
    LINK = "link"
    TOKEN = "token"  # noqa: S105 - the name of a way in


class Browser(Struct, frozen=True):
    """Where a sign-in came from, for the user to recognise it."""

    address: str
    name: str


class SignIn(Struct, frozen=True, kw_only=True):
    id: str
    method: Method
    created_at: int
    used_at: int
    ends_at: int
    browser: Browser


async def sign_in_with_code(
    db: Database, code: str, browser: Browser, *, instead_of: str | None
) -> str | None:
    """The secret of a new sign-in. None when the code lets no browser in.

    `instead_of` is the secret of a sign-in that the same browser had before; it ends.
    """

    async def body(tx: Connection) -> str | None:
        user_id = await use_code(tx, code)
        if user_id is None:
            return None
        return await _begin(tx, user_id, browser, method=Method.LINK, instead_of=instead_of)

    return await db.write(body)


async def sign_in_with_token(
    db: Database, token: str, browser: Browser, *, instead_of: str | None
) -> str | None:
    """The same, with a token."""

    async def body(tx: Connection) -> str | None:
        row = await tx.one("user_of_token", hash_of(token), 0)
        shown = shown_token(row) if row is not None else None
        if shown is None or not shown.lets_browsers_in:
            return None
        return await _begin(
            tx, shown.user.id, browser, method=Method.TOKEN, token_id=shown.id, instead_of=instead_of
        )

    return await db.write(body)


async def _begin(
    tx: Connection,
    user_id: UserId,
    browser: Browser,
    *,
    method: Method,
    token_id: str | None = None,
    instead_of: str | None,
) -> str:
    secret = secrets.token_urlsafe(RANDOM_BYTES)
    await tx.run("delete_ended_sign_ins")
    if instead_of is not None:
        await tx.run("delete_sign_in_of_hash", hash_of(instead_of))
    await tx.run(
        "insert_sign_in",
        new_id(),
        hash_of(secret),
        user_id,
        method.value,
        token_id,
        UNUSED_MICROS,
        browser.address,
        browser.name,
    )
    await tx.run("delete_oldest_sign_ins", user_id, SIGN_INS_MAX)
    return secret


async def sign_ins_of(db: Database, user_id: UserId) -> Sequence[SignIn]:
    """The one that was used last comes first."""
    rows = await db.read(lambda tx: tx.all("sign_ins_of_user", user_id))
    return [
        SignIn(
            id=id_,
            method=Method(method),
            created_at=created_at,
            used_at=used_at,
            ends_at=ends_at,
            browser=Browser(address, name),
        )
        for id_, method, created_at, used_at, ends_at, address, name in rows
    ]


async def end_sign_in(db: Database, user_id: UserId, sign_in_id: str) -> bool:
    """Whether the user had such a sign-in."""
    return await db.write(lambda tx: tx.one("delete_sign_in", user_id, sign_in_id)) is not None


async def end_sign_ins(db: Database, user_id: UserId) -> None:
    """All of this user's."""
    await db.write(lambda tx: tx.run("delete_sign_ins_of_user", user_id))
