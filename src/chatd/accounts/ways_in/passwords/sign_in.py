"""Signing in with a password, and choosing one.

An unknown name costs as much as a known one: it is counted, compared with something, and written down alike.
"""

from msgspec import Struct

from chatd.accounts.tokens.admitted import check_active
from chatd.accounts.users import User, of_user, user_of
from chatd.accounts.ways_in.passwords.hashing import Compared, Passwords
from chatd.accounts.ways_in.passwords.rules import check_fit
from chatd.accounts.ways_in.passwords.tries import WaitToTry, count_try, forget_tries
from chatd.accounts.ways_in.sign_ins import Browser, Method, begin_sign_in, sign_in_failed
from chatd.domain.ids import UserId
from chatd.domain.people.audit import CHANGED, THE_SERVER, AskedBy, AuditDeed
from chatd.errors import BadInput, NotAllowed, Unauthenticated
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.tables.audit import record


class _Found(Struct, frozen=True):
    user: User
    stored: str | None
    is_suspended: bool


async def sign_in_with_password(
    db: Database,
    passwords: Passwords,
    name: str,
    password: str,
    browser: Browser,
    *,
    instead_of: str | None,
    by: AskedBy = THE_SERVER,
) -> str:
    """The secret of a new sign-in. Raises Unauthenticated, and WaitToTry after too many failures."""
    found = await _counted(db, name, by)
    compared = await passwords.compared(found.stored if found is not None else None, password)
    if found is None or not compared.is_right or found.is_suspended:
        user_id = found.user.id if found is not None else None
        await db.write(lambda tx: sign_in_failed(tx, Method.PASSWORD, by, user_id=user_id))
        # Only one who knows the password is told that the account is suspended.
        check_active(is_suspended=found is not None and found.is_suspended and compared.is_right)
        raise wrong_password()
    user, stored = found.user, found.stored
    renewed = await passwords.hashed(password) if compared.is_old else stored

    async def body(tx: Connection) -> str | None:
        # It may have been changed, and the user suspended, while we compared.
        now = await _found(tx, name)
        if now is None or now.is_suspended or now.stored != stored or now.user.id != user.id:
            return None
        await tx.one("replace_password", user.id, stored, renewed)
        await forget_tries(tx, name)
        return await begin_sign_in(tx, user.id, browser, method=Method.PASSWORD, instead_of=instead_of, by=by)

    secret = await db.write(body)
    if secret is None:
        raise wrong_password()
    return secret


async def choose_password(
    db: Database,
    passwords: Passwords,
    user: User,
    *,
    old: str | None,
    new: str,
    sign_in_id: str | None,
    by: AskedBy,
) -> None:
    """Who has a password has to know it. Their other browsers are signed out.

    Raises BadInput, and WaitToTry after too many failures.
    """
    check_fit(new, name=user.name, field="password.new")
    found = await _counted(db, user.name, by)
    stored = found.stored if found is not None else None
    if stored is not None and not (await _compared(passwords, stored, old)).is_right:
        raise BadInput("wrong_password", "This is not your password.", field="password.old")
    hashed = await passwords.hashed(new)

    async def body(tx: Connection) -> bool:
        if await tx.one("replace_password", user.id, stored, hashed) is None:
            return False
        await forget_tries(tx, user.name)
        await tx.run("delete_other_sign_ins", user.id, sign_in_id)
        await tx.run("delete_sign_in_codes_of_user", user.id)
        await record(tx, by, of_user(AuditDeed.USER_CHANGED, user.id, {"password": CHANGED}))
        return True

    if not await db.write(body):
        raise NotAllowed("changed_meanwhile", "The password was changed meanwhile.", hint="Try again.")


async def has_password(db: Database, user_id: UserId) -> bool:
    row = await db.read(lambda tx: tx.one("has_password", user_id), pace=Pace.ONE_QUERY)
    return row is not None and bool(row[0])


async def _compared(passwords: Passwords, stored: str, old: str | None) -> Compared:
    if old is None:
        raise BadInput("wrong_password", "You have a password: send it as `old`.", field="password.old")
    return await passwords.compared(stored, old)


async def _counted(db: Database, name: str, by: AskedBy) -> _Found | None:
    """Who has the name, after the try was counted. Raises WaitToTry."""

    async def body(tx: Connection) -> _Found | WaitToTry | None:
        refused = await count_try(tx, name)
        if refused is not None:
            await sign_in_failed(tx, Method.PASSWORD, by, why=refused.code)
            return refused
        return await _found(tx, name)

    found = await db.write(body)
    if isinstance(found, WaitToTry):
        raise found
    return found


async def _found(tx: Connection, name: str) -> _Found | None:
    row = await tx.one("password_of_name", name.casefold())
    if row is None:
        return None
    *_, stored, is_suspended = row
    return _Found(user_of(row), stored, bool(is_suspended))


def wrong_password() -> Unauthenticated:
    """The same for an unknown name, a user without a password, and a wrong one."""
    return Unauthenticated(
        "unauthenticated",
        "The name or the password is wrong.",
        hint="An administrator can make a link for you: `chatd user link NAME`.",
    )
