"""The ways in that are on beside links and tokens, as the server has them."""

from msgspec import Struct

from chatd.accounts.ways_in.oidc.flow import OidcFlow
from chatd.accounts.ways_in.passwords.hashing import Passwords


class WaysIn(Struct, frozen=True, kw_only=True):
    passwords: Passwords | None = None
    oidc: OidcFlow | None = None


USUAL_WAYS = WaysIn()
