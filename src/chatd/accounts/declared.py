"""Ways in that the settings declare: a header of a proxy. Each is off unless it is there.

What is wrong with one is told when the server starts, in a sentence.
"""

import re
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from chatd.domain.people.roles import UserRole
from chatd.kit.networks import Network, network_in

NETWORKS_MAX = 100
SECRET_LENGTH_MIN = 16

_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,100}")
# They mean something else already, or a browser may set them.
_TAKEN_HEADERS = frozenset(
    {"authorization", "cookie", "host", "origin", "user-agent", "x-forwarded-for", "x-chatd-user"}
)


class SignUp(StrEnum):
    """What becomes of a person whom we do not know yet."""

    # They are a user from now on.
    AUTO = "auto"
    # An administrator has to add them first.
    INVITED = "invited"


class ProxyHeader(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `[proxy_header]` table: the proxy before us says who asks."""

    header: str
    from_: Annotated[tuple[str, ...], Meta(max_length=NETWORKS_MAX)] = field(name="from")
    # What the proxy sends along in `X-Chatd-Proxy-Secret`.
    secret: str | None = None
    sign_up: SignUp = SignUp.AUTO
    role_default: UserRole = UserRole.MEMBER
    groups_header: str | None = None

    def __post_init__(self) -> None:
        for name in filter(None, (self.header, self.groups_header)):
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _TAKEN_HEADERS:
                raise ValueError(
                    f"{name!r} cannot be the header: take one of its own, such as `X-Remote-User`"
                )
        if not self.from_:
            raise ValueError("`from` names no network: without it nobody is believed")
        _ = self.networks
        if self.role_default is UserRole.ADMIN:
            raise ValueError("`role_default` is admin, and a header makes no administrator")
        if self.secret is not None and len(self.secret) < SECRET_LENGTH_MIN:
            raise ValueError(f"`secret` has fewer than {SECRET_LENGTH_MIN} characters")

    @property
    def networks(self) -> tuple[Network, ...]:
        return tuple(map(network_in, self.from_))

    def __repr__(self) -> str:
        # Settings are printed and logged; the secret must not be.
        return f"ProxyHeader({self.header!r})"
