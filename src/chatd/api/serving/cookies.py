"""The cookie of a sign-in: its name, and what a browser is told about it."""

from starlette.datastructures import Headers

from chatd.accounts.sign_ins import LASTS_MICROS

# Browsers take this name only over HTTPS, for the whole host, and from that host itself.
SECURE_NAME = "__Host-chatd"
PLAIN_NAME = "chatd"

_SECONDS = LASTS_MICROS // 1_000_000


def cookie_in(headers: Headers, *, secure: bool) -> str | None:
    """What it holds. Where browsers come over HTTPS, only the safe name counts."""
    found: dict[str, str] = {}
    for each in ";".join(headers.getlist("cookie")).split(";"):
        name, _, value = each.strip().partition("=")
        found.setdefault(name, value)
    names = (SECURE_NAME,) if secure else (SECURE_NAME, PLAIN_NAME)
    return next((found[name] for name in names if name in found), None)


def set_cookie(secret: str, *, secure: bool) -> str:
    return _header(secret, _SECONDS, secure=secure)


def clear_cookie(*, secure: bool) -> str:
    return _header("", 0, secure=secure)


def _header(value: str, seconds: int, *, secure: bool) -> str:
    name, more = (SECURE_NAME, "; Secure") if secure else (PLAIN_NAME, "")
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{more}"
