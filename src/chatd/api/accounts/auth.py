"""Signing in and out with a browser."""

from chatd.accounts.ways_in.sign_ins import (
    Method,
    end_sign_in,
    end_sign_ins,
    sign_in_with_code,
    sign_in_with_token,
)
from chatd.api.accounts.bodies import Exchange, MethodList, OwnAccount, SignedOut, SignOut
from chatd.api.accounts.signed_in import signed_in
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, WithHeaders
from chatd.api.serving.callers.cookies import clear_cookie
from chatd.errors import BadInput, Unauthenticated


async def methods(asked: Asked[Nothing, Nothing]) -> MethodList:
    ways = asked.server.ways
    return MethodList(
        methods=(
            Method.LINK,
            Method.TOKEN,
            *((Method.PASSWORD,) if ways.passwords is not None else ()),
            *((Method.OIDC,) if ways.oidc is not None else ()),
        ),
        oidc_name=ways.oidc.way.label if ways.oidc is not None else None,
    )


async def exchange(asked: Asked[Nothing, Exchange]) -> WithHeaders[OwnAccount]:
    """A new secret each time, so that what was in the browser before is of no use to anyone."""
    code, token, visit, db = asked.body.code, asked.body.token, asked.visit, asked.store.db
    if (code is None) == (token is None):
        raise BadInput("bad_value", "Send either `code` or `token`.", field="code")
    if code is not None:
        secret = await sign_in_with_code(db, code, visit.browser, instead_of=visit.cookie, by=asked.by)
    else:
        assert token is not None
        secret = await sign_in_with_token(
            db, token.strip(), visit.browser, instead_of=visit.cookie, by=asked.by
        )
    answer = await signed_in(asked, secret) if secret is not None else None
    if answer is None:
        raise _refused(with_code=code is not None)
    return answer


async def sign_out(asked: Asked[Nothing, SignOut]) -> WithHeaders[SignedOut]:
    """A caller with a token signs browsers out, if all of them are meant; the token goes on to count."""
    db, user = asked.store.db, asked.user
    if asked.body.everywhere:
        await end_sign_ins(db, user.id, by=asked.by)
    elif asked.sign_in_id is not None:
        await end_sign_in(db, user.id, asked.sign_in_id, by=asked.by)
    asked.server.access_changed(user.id)
    return WithHeaders(SignedOut(), {"Set-Cookie": clear_cookie(secure=asked.visit.is_secure)})


def _refused(*, with_code: bool) -> Unauthenticated:
    """The same for what is unknown, used and expired: nothing is told to those who guess."""
    if with_code:
        return Unauthenticated(
            "unauthenticated",
            "This link does not sign in any more: it works once, and for a while.",
            hint="An administrator makes another one, or `chatd link` on the server's machine.",
        )
    return Unauthenticated("unauthenticated", "This token is not valid.", hint="Look whether it is complete.")
