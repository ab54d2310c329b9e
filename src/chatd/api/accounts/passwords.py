"""Signing in with a password. Off, unless the settings say otherwise."""

from chatd.accounts.ways_in.passwords.hashing import Passwords
from chatd.accounts.ways_in.passwords.sign_in import sign_in_with_password, wrong_password
from chatd.api.accounts.bodies import OwnAccount, SignInWithPassword
from chatd.api.accounts.signed_in import signed_in
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, B, Q, WithHeaders
from chatd.errors import NotFound


async def sign_in(asked: Asked[Nothing, SignInWithPassword]) -> WithHeaders[OwnAccount]:
    """Who failed too often waits, whether or not there is such a user."""
    passwords, visit = passwords_of(asked), asked.visit
    secret = await sign_in_with_password(
        asked.store.db,
        passwords,
        asked.body.name,
        asked.body.password,
        visit.browser,
        instead_of=visit.cookie,
        by=asked.by,
    )
    answer = await signed_in(asked, secret)
    if answer is None:
        raise wrong_password()
    return answer


def passwords_of(asked: Asked[Q, B]) -> Passwords:
    """Raises NotFound where there are none."""
    passwords = asked.server.ways.passwords
    if passwords is None:
        raise NotFound(
            "way_is_off",
            "Nobody signs in with a password here.",
            hint="GET /api/v1/auth/methods tells the ways in.",
        )
    return passwords
