"""Users and tokens."""

from typing import ClassVar, TypeVar

from msgspec import Struct

from chatd.client.pages import CursorPage

T = TypeVar("T")


class User(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    role: str
    kind: str = "person"
    display_name: str = ""
    created_at: str = ""
    suspended_at: str | None = None


class NewUser(User, frozen=True, kw_only=True):
    # Signs a browser in, once, at `/sign-in#CODE`.
    code: str | None = None


class Identity(Struct, frozen=True, kw_only=True):
    """As whom you are known at an identity provider."""

    issuer: str
    subject: str
    joined_at: str
    used_at: str | None = None


class IdentityList(Struct, frozen=True, kw_only=True):
    identities: tuple[Identity, ...]


class UserName(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: str = ""


class PageByName(CursorPage[T], frozen=True, kw_only=True):
    goes_to: ClassVar[str] = "after"


class UserPage(PageByName[User], frozen=True, kw_only=True):
    users: tuple[User, ...]
    # Those that were looked for.
    names: tuple[UserName, ...] = ()

    @property
    def items(self) -> tuple[User, ...]:
        return self.users


class Group(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    # `local`, or `oidc`: the identity provider says who is in it.
    source: str = "local"
    members: int = 0
    created_at: str = ""


class GroupName(Struct, frozen=True, kw_only=True):
    id: str
    name: str


class GroupPage(PageByName[Group], frozen=True, kw_only=True):
    groups: tuple[Group, ...]
    names: tuple[GroupName, ...] = ()

    @property
    def items(self) -> tuple[Group, ...]:
        return self.groups


class Service(User, frozen=True, kw_only=True):
    # `nobody`, `end_users` or `group`.
    acts_for: str = "nobody"
    group_id: str | None = None
    end_users: int = 0
    end_users_max: int = 0


class ServicePage(PageByName[Service], frozen=True, kw_only=True):
    services: tuple[Service, ...]

    @property
    def items(self) -> tuple[Service, ...]:
        return self.services


class EndUser(User, frozen=True, kw_only=True):
    # What their service calls them.
    external_id: str


class EndUserPage(PageByName[EndUser], frozen=True, kw_only=True):
    users: tuple[EndUser, ...]

    @property
    def items(self) -> tuple[EndUser, ...]:
        return self.users


class UserToken(Struct, frozen=True, kw_only=True):
    token: str
    user_id: str
    expires_at: str


class SignInCode(Struct, frozen=True, kw_only=True):
    code: str


class BrowserSignIn(Struct, frozen=True, kw_only=True):
    """A browser in which somebody is signed in. `method`: link, token, password or oidc."""

    id: str
    method: str = ""
    current: bool = False
    created_at: str = ""
    # To about an hour.
    used_at: str = ""
    ends_at: str = ""
    address: str = ""
    # What the browser calls itself.
    browser: str = ""


class BrowserSignInList(Struct, frozen=True, kw_only=True):
    sign_ins: tuple[BrowserSignIn, ...]


class Token(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    scopes: tuple[str, ...]
    # The beginning of its secret.
    shown: str = ""
    created_at: str = ""
    expires_at: str | None = None
    used_at: str | None = None
    old_until: str | None = None
    of_server: bool = False
    # The only chat that it is good for, with those that work for it.
    chat_id: str | None = None
    made_by: str | None = None


class NewToken(Token, frozen=True, kw_only=True):
    token: str


class TokenList(Struct, frozen=True, kw_only=True):
    tokens: tuple[Token, ...]


class PermitList(Struct, frozen=True, kw_only=True):
    deeds: tuple[str, ...]
