"""Ways in that the settings declare: an identity provider, a header of a proxy. Off, unless it is there.

What is wrong with one is told when the server starts, in a sentence.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field

from chatd.domain.people.roles import UserRole
from chatd.errors import Misconfigured
from chatd.kit.networks import Network, network_in

NETWORKS_MAX = 100
SECRET_LENGTH_MIN = 16

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
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


class Oidc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `[oidc]` table: people sign in at an identity provider. Its secret comes in one of three ways."""

    issuer: str
    client_id: Annotated[str, Meta(min_length=1)]
    client_secret: str | None = None
    client_secret_env: str | None = None
    client_secret_file: str | None = None
    # What the button says.
    display_name: str = ""
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    name_claim: str = "preferred_username"
    groups_claim: str | None = None
    # The roles of groups. Where there is one, the provider says the role at each sign-in.
    role_map: Mapping[str, UserRole] = {}
    role_default: UserRole = UserRole.MEMBER
    role_strict: bool = False
    required_group: str | None = None
    sign_up: SignUp = SignUp.AUTO
    link_by_email: bool = False

    def __post_init__(self) -> None:
        address = urlsplit(self.issuer)
        if not is_safe_address(self.issuer) or address.query or address.fragment:
            raise ValueError("`issuer` is no https:// address; http:// is for providers on this machine")
        if "openid" not in self.scopes:
            raise ValueError("`scopes` lacks `openid`")
        if self.role_default is UserRole.ADMIN:
            raise ValueError("`role_default` is admin; name a group of administrators in `role_map` instead")
        needs_groups = self.role_map or self.role_strict or self.required_group is not None
        if needs_groups and self.groups_claim is None:
            raise ValueError("`groups_claim` is not set, and says which groups there are")
        if self.role_strict and not self.role_map:
            raise ValueError("`role_strict` would let nobody in without a `role_map`")
        given = (self.client_secret, self.client_secret_env, self.client_secret_file)
        if sum(each is not None for each in given) > 1:
            raise ValueError("the client's secret is given in more than one way")

    @property
    def label(self) -> str:
        return self.display_name or urlsplit(self.issuer).hostname or self.issuer

    def secret(self, environment: Mapping[str, str]) -> str | None:
        """Raises Misconfigured when it is not where it should be."""
        if self.client_secret_env is not None:
            found = environment.get(self.client_secret_env)
            if not found:
                raise Misconfigured(
                    f"[oidc] takes its secret from {self.client_secret_env}, which is not set."
                )
            return found
        if self.client_secret_file is not None:
            try:
                return Path(self.client_secret_file).expanduser().read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise Misconfigured(f"Cannot read `client_secret_file` of [oidc]: {error}.") from error
        return self.client_secret

    def __repr__(self) -> str:
        # As below.
        return f"Oidc({self.issuer!r})"


def is_safe_address(url: str) -> bool:
    """What is sent there, nobody on the way can read."""
    try:
        address = urlsplit(url)
        host = address.hostname
    except ValueError:
        return False
    if host is None or address.username is not None:
        return False
    return address.scheme == "https" or (address.scheme == "http" and host in _THIS_MACHINE)


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
