"""Signing in at an identity provider: the browser is sent there, and comes back here.

Both are addresses that a browser goes to. So they answer with another address: the provider's, a page of
ours, or the page for signing in, which says in words what went wrong.
"""

import re
from typing import Annotated
from urllib.parse import unquote

import structlog
from msgspec import Meta, Struct

from chatd.accounts.ways_in.oidc.failures import NotSignedIn
from chatd.accounts.ways_in.oidc.flow import OidcFlow, Returned
from chatd.api.accounts.own_account import check_for_everything
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, B, Q, Redirect, WithHeaders
from chatd.api.serving.callers.cookies import set_cookie, set_oidc_cookie
from chatd.errors import BadInput, NotFound

log = structlog.get_logger()

RETURN_LENGTH_MAX = 2000
VALUE_LENGTH_MAX = 4000

# Visible ASCII behind one slash: nothing that a browser could take for another host.
_PATH = re.compile(r"/(?:[!-.0-\[\]-~][!-\[\]-~]*)?")
# How pages of ours are reached from either address, wherever we are served.
FROM_BEGINNING, FROM_CALLBACK = "../../../", "../../../../"

_Value = Annotated[str, Meta(max_length=VALUE_LENGTH_MAX)]


class BeginOidc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    return_to: Annotated[
        str,
        Meta(max_length=RETURN_LENGTH_MAX, description="The path of the page to come back to: `/chats/…`."),
    ] = "/"


class OidcReturn(Struct, frozen=True, kw_only=True):
    """Providers add more."""

    state: _Value = ""
    code: _Value = ""
    iss: _Value = ""
    error: _Value = ""


class Elsewhere(Struct, frozen=True, kw_only=True):
    url: Annotated[str, Meta(description="Where the browser has to go.")]


async def begin(asked: Asked[BeginOidc, Nothing]) -> Redirect:
    flow, return_to = flow_of(asked), _own_path(asked.query.return_to)
    try:
        sent = await flow.begin(
            asked.store.db,
            return_to=return_to,
            secret=asked.visit.oidc_cookie,
            network=asked.visit.network,
        )
    except NotSignedIn as failed:
        log.warning("oidc.not_begun", failure=failed.failure.value, why=failed.why)
        return _told(FROM_BEGINNING, failed)
    return Redirect(sent.url, set_oidc_cookie(sent.secret, secure=asked.visit.is_secure))


async def callback(asked: Asked[OidcReturn, Nothing]) -> Redirect:
    query, visit = asked.query, asked.visit
    returned = Returned(
        state=query.state, code=query.code, issuer=query.iss, error=query.error, secret=visit.oidc_cookie
    )
    try:
        done = await flow_of(asked).come_back(
            asked.store.db, returned, visit.browser, instead_of=visit.cookie, by=asked.by
        )
    except NotSignedIn as failed:
        return _told(FROM_CALLBACK, failed)
    # Groups and the role may be others now, and the sign-in of before has ended.
    asked.server.access_changed(done.user_id)
    cookie = None
    if done.secret is not None:
        asked.server.callers.expect(done.secret)
        cookie = set_cookie(done.secret, secure=visit.is_secure)
    return Redirect(FROM_CALLBACK + done.return_to.removeprefix("/"), cookie)


async def join(asked: Asked[Nothing, Nothing]) -> WithHeaders[Elsewhere]:
    """For a user who is signed in otherwise. No page of others begins this: it would choose who is joined."""
    flow = flow_of(asked)
    check_for_everything(asked.known, "identity")
    try:
        sent = await flow.begin(
            asked.store.db,
            return_to="/settings/account",
            secret=asked.visit.oidc_cookie,
            network=asked.visit.network,
            link_to=asked.user.id,
        )
    except NotSignedIn as failed:
        raise NotFound("provider_away", f"The identity provider cannot be used: {failed.why}.") from None
    cookie = set_oidc_cookie(sent.secret, secure=asked.visit.is_secure)
    return WithHeaders(Elsewhere(url=sent.url), {"Set-Cookie": cookie})


def flow_of(asked: Asked[Q, B]) -> OidcFlow:
    """Raises NotFound where there is no provider."""
    flow = asked.server.ways.oidc
    if flow is None:
        raise NotFound(
            "way_is_off",
            "Nobody signs in at an identity provider here.",
            hint="GET /api/v1/auth/methods tells the ways in.",
        )
    return flow


def _own_path(path: str) -> str:
    segments = re.split("[/?#]", unquote(path))
    if not _PATH.fullmatch(path) or ".." in segments or "." in segments:
        raise BadInput("bad_value", "`return_to` must be the path of a page of ours.", field="return_to")
    return path


def _told(root: str, failed: NotSignedIn) -> Redirect:
    """The page knows these words; nothing that others have written is in its address."""
    return Redirect(f"{root}sign-in?failed={failed.failure.value}")
