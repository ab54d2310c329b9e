"""The header in which a proxy says who asks. Believed from the networks of the settings alone."""

import hmac

from msgspec import Struct
from prometheus_client import Counter
from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.accounts.users import NAME_LENGTH_MAX
from chatd.accounts.ways_in.declared import ProxyHeader
from chatd.api.serving.proxies.forwarded import peer_of
from chatd.errors import BadInput, Unauthenticated
from chatd.kit.networks import Network, address_in, is_in
from chatd.kit.text import is_plain

SECRET_HEADER = "x-chatd-proxy-secret"  # noqa: S105 - the name of a header
# Of one user, as the groups of an identity provider.
GROUPS_MAX = 50

NOT_BELIEVED = Counter(
    "chatd_proxy_headers_not_believed",
    "Requests of other peers with the header in which the proxy says who asks: the header was left out.",
)


class Told(Struct, frozen=True):
    """What the proxy says of the caller."""

    name: str
    # None: it says nothing of groups.
    groups: tuple[str, ...] | None


class HeaderReader:
    def __init__(self, way: ProxyHeader) -> None:
        self.way = way
        self._networks: tuple[Network, ...] = way.networks

    def told(self, scope: Scope, headers: Headers) -> Told | None:
        """None where the proxy says nothing. Raises BadInput for two names, Unauthenticated for none."""
        names = headers.getlist(self.way.header)
        if not names:
            return None
        if not is_in(address_in(peer_of(scope)), self._networks):
            NOT_BELIEVED.inc()
            return None
        # Some proxies add their header to one that is there, and others join both with a comma.
        if len(names) > 1 or "," in names[0]:
            raise BadInput(
                "repeated_header",
                f"The header {self.way.header} names more than one user.",
                hint="Have the proxy replace what the browser sends, and not add to it.",
            )
        self._check_secret(headers)
        name = _text(names[0])
        if not name or len(name) > NAME_LENGTH_MAX or not is_plain(name):
            raise _wrong(f"The header {self.way.header} holds no name of a user.")
        return Told(name, self._groups(headers))

    def _check_secret(self, headers: Headers) -> None:
        if self.way.secret is None:
            return
        given = headers.getlist(SECRET_HEADER)
        if len(given) != 1 or not hmac.compare_digest(_text(given[0]).encode(), self.way.secret.encode()):
            raise _wrong(f"The proxy has not sent its secret in {SECRET_HEADER}.")

    def _groups(self, headers: Headers) -> tuple[str, ...] | None:
        if self.way.groups_header is None:
            return None
        told = _text(",".join(headers.getlist(self.way.groups_header))).split(",")
        return tuple(dict.fromkeys(filter(None, map(str.strip, told))))[:GROUPS_MAX]


def _text(value: str) -> str:
    """Starlette reads headers as Latin-1; proxies send UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8").strip()
    except UnicodeError:
        return value.strip()


def _wrong(message: str) -> Unauthenticated:
    return Unauthenticated("unauthenticated", message, hint="Whoever runs the proxy can mend this.")
