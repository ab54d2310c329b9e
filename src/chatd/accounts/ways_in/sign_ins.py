"""Sign-ins: browsers that were let in. Each holds a secret in a cookie, of which we keep the hash.

A sign-in ends seven days after its last use, and thirty after its beginning; when its user signs out; and
with the token that was shown for it.
"""

import secrets
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, structs

from chatd.accounts.tokens.shown import shown_token
from chatd.accounts.tokens.tokens import RANDOM_BYTES, hash_of
from chatd.accounts.users import of_user
from chatd.accounts.ways_in.sign_in_codes import use_code
from chatd.domain.ids import UserId
from chatd.domain.people.audit import (
    NO_CHANGES,
    THE_SERVER,
    AskedBy,
    AuditDeed,
    AuditEntry,
    AuditOutcome,
    Changes,
    TargetKind,
)
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Database
from chatd.storage.tables.audit import record

DAY_MICROS = 24 * 3600 * 1_000_000
UNUSED_MICROS = 7 * DAY_MICROS
LASTS_MICROS = 30 * DAY_MICROS
# A use is written down when the last one is older than this.
NOTED_AFTER_MICROS = 3600 * 1_000_000
# Of one user. One more, and the one that was not used for the longest time ends.
SIGN_INS_MAX = 20
# How many of those that have ended a new one deletes. Each adds one, so none is left after a while.
ENDED_AT_ONCE = 10


class Method(StrEnum):
    LINK = "link"
    TOKEN = "token"  # noqa: S105 - the name of a way in
    PASSWORD = "password"  # noqa: S105 - as above
    OIDC = "oidc"


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
    db: Database, code: str, browser: Browser, *, instead_of: str | None, by: AskedBy = THE_SERVER
) -> str | None:
    """The secret of a new sign-in. None when the code lets no browser in.

    `instead_of` is the secret of a sign-in that the same browser had before; it ends.
    """

    async def body(tx: Connection) -> str | None:
        user_id = await use_code(tx, code)
        if user_id is None:
            await sign_in_failed(tx, Method.LINK, by)
            return None
        return await begin_sign_in(tx, user_id, browser, method=Method.LINK, instead_of=instead_of, by=by)

    return await db.write(body)


async def sign_in_with_token(
    db: Database, token: str, browser: Browser, *, instead_of: str | None, by: AskedBy = THE_SERVER
) -> str | None:
    """The same, with a token."""

    async def body(tx: Connection) -> str | None:
        row = await tx.one("user_of_token", hash_of(token), 0)
        shown = shown_token(row) if row is not None else None
        if shown is None or not shown.lets_browsers_in:
            whose = shown.user.id if shown is not None else None
            await sign_in_failed(tx, Method.TOKEN, by, user_id=whose)
            return None
        return await begin_sign_in(
            tx, shown.user.id, browser, method=Method.TOKEN, token_id=shown.id, instead_of=instead_of, by=by
        )

    return await db.write(body)


async def begin_sign_in(
    tx: Connection,
    user_id: UserId,
    browser: Browser,
    *,
    method: Method,
    token_id: str | None = None,
    instead_of: str | None,
    by: AskedBy = THE_SERVER,
) -> str:
    """The secret of a new sign-in, for one who has shown who they are."""
    sign_in_id = new_id()
    secret = secrets.token_urlsafe(RANDOM_BYTES)
    await tx.run("delete_ended_sign_ins", ENDED_AT_ONCE)
    if instead_of is not None:
        await tx.run("delete_sign_in_of_hash", hash_of(instead_of))
    await tx.run(
        "insert_sign_in",
        sign_in_id,
        hash_of(secret),
        user_id,
        method.value,
        token_id,
        UNUSED_MICROS,
        browser.address,
        browser.name,
    )
    await tx.run("delete_oldest_sign_ins", user_id, SIGN_INS_MAX)
    who = structs.replace(by, actor_id=user_id)
    await record(tx, who, _of_sign_in(AuditDeed.SIGN_IN, sign_in_id, {"method": method}))
    return secret


async def sign_in_failed(
    tx: Connection, method: Method, by: AskedBy, *, user_id: UserId | None = None, why: str = ""
) -> None:
    """Write down that nobody was let in. `user_id` is whom it would have been, if that is known."""
    entry = AuditEntry(
        deed=AuditDeed.SIGN_IN_FAILED,
        target_kind=TargetKind.USER,
        target_id=user_id or "",
        outcome=AuditOutcome.REFUSED,
        changes={"method": method, **({"why": why} if why else {})},
    )
    await record(tx, by, entry)


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


async def end_sign_in(db: Database, user_id: UserId, sign_in_id: str, *, by: AskedBy = THE_SERVER) -> bool:
    """Whether the user had such a sign-in."""

    async def body(tx: Connection) -> bool:
        if await tx.one("delete_sign_in", user_id, sign_in_id) is None:
            return False
        await record(tx, by, _of_sign_in(AuditDeed.SIGN_IN_ENDED, sign_in_id))
        return True

    return await db.write(body)


async def end_sign_ins(db: Database, user_id: UserId, *, by: AskedBy = THE_SERVER) -> None:
    """All of this user's."""

    async def body(tx: Connection) -> None:
        await tx.run("delete_sign_ins_of_user", user_id)
        await record(tx, by, of_user(AuditDeed.SIGN_IN_ENDED, user_id))

    await db.write(body)


def _of_sign_in(deed: AuditDeed, sign_in_id: str, changes: Changes = NO_CHANGES) -> AuditEntry:
    return AuditEntry(deed=deed, target_kind=TargetKind.SIGN_IN, target_id=sign_in_id, changes=changes)
