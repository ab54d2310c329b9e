"""What a browser is told that was let in, by whichever way."""

from chatd.accounts.tokens.admitted import with_cookie
from chatd.accounts.tokens.tokens import hash_of
from chatd.accounts.users import User, profile_of
from chatd.accounts.ways_in.passwords.sign_in import has_password
from chatd.api.accounts.bodies import OwnAccount
from chatd.api.router import Asked, B, Q, WithHeaders
from chatd.api.serving.callers.cookies import set_cookie
from chatd.domain.ids import UserId


async def signed_in(asked: Asked[Q, B], secret: str) -> WithHeaders[OwnAccount] | None:
    """The cookie, and who it is. None if it counts no more already."""
    found = await with_cookie(asked.store.db, hash_of(secret))
    if found is None:
        return None
    asked.server.callers.expect(secret)
    replaced(asked, found.user.id)
    account = await own_account(asked, found.user, found.sign_in_id)
    return WithHeaders(account, {"Set-Cookie": set_cookie(secret, secure=asked.visit.is_secure)})


def replaced(asked: Asked[Q, B], user_id: UserId) -> None:
    """The sign-in that the browser had before has ended: so do its streams."""
    if asked.visit.cookie is not None:
        asked.server.access_changed(user_id)


async def own_account(asked: Asked[Q, B], user: User, sign_in_id: str | None) -> OwnAccount:
    is_on = asked.server.ways.passwords is not None
    profile = await profile_of(asked.store.db, user.id)
    return OwnAccount(
        id=user.id,
        name=user.name,
        display_name=profile.display_name if profile is not None else "",
        email=profile.email if profile is not None else None,
        role=user.role,
        sign_in_id=sign_in_id,
        has_password=await has_password(asked.store.db, user.id) if is_on else None,
    )
