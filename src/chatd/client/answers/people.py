"""Users and tokens."""

from msgspec import Struct


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


class UserPage(Struct, frozen=True, kw_only=True):
    users: tuple[User, ...]
    next: str | None = None


class SignInCode(Struct, frozen=True, kw_only=True):
    code: str


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


class NewToken(Token, frozen=True, kw_only=True):
    token: str


class TokenList(Struct, frozen=True, kw_only=True):
    tokens: tuple[Token, ...]


class PermitList(Struct, frozen=True, kw_only=True):
    deeds: tuple[str, ...]
