"""The cookie of a sign-in: its name, and what a browser is told about it."""

from starlette.datastructures import Headers

from chatd.accounts.ways_in.oidc.away import STATE_SECONDS
from chatd.accounts.ways_in.sign_ins import LASTS_MICROS

# Browsers take this name only over HTTPS, for the whole host, and from that host itself.
SECURE_NAME = "__Host-chatd"
PLAIN_NAME = "chatd"

# Of a browser that signs in at an identity provider, until it is back.
SECURE_OIDC_NAME = "__Host-chatd-oidc"
PLAIN_OIDC_NAME = "chatd-oidc"

_SECONDS = LASTS_MICROS // 1_000_000


def cookie_in(headers: Headers, *, secure: bool) -> str | None:
    """What it holds. Where browsers come over HTTPS, only the safe name counts."""
    return _value(headers, (SECURE_NAME,) if secure else (SECURE_NAME, PLAIN_NAME))


def oidc_cookie_in(headers: Headers, *, secure: bool) -> str | None:
    return _value(headers, (SECURE_OIDC_NAME,) if secure else (PLAIN_OIDC_NAME,))


def _value(headers: Headers, names: tuple[str, ...]) -> str | None:
    found: dict[str, str] = {}
    for each in ";".join(headers.getlist("cookie")).split(";"):
        name, _, value = each.strip().partition("=")
        found.setdefault(name, value)
    return next((found[name] for name in names if name in found), None)


def set_cookie(secret: str, *, secure: bool) -> str:
    return _header(SECURE_NAME if secure else PLAIN_NAME, secret, _SECONDS, secure=secure)


def set_oidc_cookie(secret: str, *, secure: bool) -> str:
    name = SECURE_OIDC_NAME if secure else PLAIN_OIDC_NAME
    return _header(name, secret, STATE_SECONDS, secure=secure)


def clear_cookie(*, secure: bool) -> str:
    return _header(SECURE_NAME if secure else PLAIN_NAME, "", 0, secure=secure)


def _header(name: str, value: str, seconds: int, *, secure: bool) -> str:
    more = "; Secure" if secure else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{more}"
