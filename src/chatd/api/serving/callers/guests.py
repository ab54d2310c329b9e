"""Guests: who shows the code of a public link, and is nobody else.

What a browser or a proxy adds by itself, a cookie or a header, does not count beside it. Anything else that
is shown beside it, or instead of it, is like a code that does not exist: there is one answer for all of them.
"""

from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.accounts.sharing.guests import Guest, guest_with
from chatd.accounts.tokens.tokens import hash_of
from chatd.api.serving.callers.auth import cross_site
from chatd.api.serving.callers.speaking import SPOKEN_FOR
from chatd.api.serving.origins.sites import Sites
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Allow, Policy, Relation, Standing, View, permit
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.errors import NotFound
from chatd.storage.database import Connection

SCHEME = "guest"
# With every answer to a guest. That no cache keeps it is said where the answer is made.
HEADERS = ((b"referrer-policy", b"no-referrer"), (b"x-robots-tag", b"noindex, nofollow"))

# No code has this hash: codes are longer.
_NO_CODE = hash_of("")


def code_hash_in(scope: Scope, headers: Headers, sites: Sites) -> str:
    """The hash of what was shown. Raises Forbidden to a WebSocket of another site."""
    if scope["type"] == "websocket" and "origin" in headers and not sites.may_call(headers):
        raise cross_site()
    shown = headers.getlist("authorization")
    if len(shown) != 1 or SPOKEN_FOR in headers:
        return _NO_CODE
    scheme, _, code = shown[0].partition(" ")
    return hash_of(code.strip()) if scheme.lower() == SCHEME else _NO_CODE


async def admitted(tx: Connection, code_hash: str, deed: Deed, policy: Policy) -> Guest:
    """Whom the code lets in. Raises NotFound, the same for whatever stands in the way."""
    guest = await guest_with(tx, code_hash)
    if guest is None or not _may(deed, guest.link.chat_id, policy):
        raise no_such_link()
    return guest


def _may(deed: Deed, chat_id: ChatId, policy: Policy) -> bool:
    standing = Standing(role=UserRole.VIEWER, scopes=frozenset({TokenScope.CHATS_READ}), family=chat_id)
    return permit(standing, deed, Relation.GUEST, policy, family=chat_id) == Allow(view=View.GUEST)


def no_such_link() -> NotFound:
    return NotFound(
        "link_not_found",
        "There is no such link, or it has ended.",
        hint="Ask whoever gave it to you for a new one. Its code goes into the header "
        "`Authorization: Guest CODE`.",
    )
