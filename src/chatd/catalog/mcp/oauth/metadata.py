"""What servers tell of signing in, and where they tell it (RFC 9728, RFC 8414, RFC 7591). Pure."""

import re
from collections.abc import Iterator
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec
from msgspec import Struct

T = TypeVar("T", bound=Struct)

# Of one answer, and of what it names; the others are not looked at.
ISSUERS_MAX = 3
SCOPES_MAX = 64


class ProtectedResource(Struct, frozen=True, kw_only=True):
    """What an MCP server tells of itself."""

    resource: str
    authorization_servers: tuple[str, ...] = ()
    scopes_supported: tuple[str, ...] = ()


class AuthorizationServer(Struct, frozen=True, kw_only=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str | None = None
    revocation_endpoint: str | None = None
    code_challenge_methods_supported: tuple[str, ...] | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] | None = None


class RegisteredClient(Struct, frozen=True, kw_only=True):
    client_id: str
    client_secret: str | None = None
    token_endpoint_auth_method: str | None = None


def decoded(body: bytes, type_: type[T]) -> T | None:
    """None when it is something else."""
    try:
        return msgspec.json.decode(body, type=type_)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def resource_documents(url: str) -> Iterator[str]:
    """Where an MCP server tells where to sign in, if it does not say so itself; the first one counts."""
    address = urlsplit(url)
    path = address.path.rstrip("/")
    for suffix in dict.fromkeys((path, "")):
        yield _at(address, f"/.well-known/oauth-protected-resource{suffix}")


def issuer_documents(issuer: str) -> Iterator[str]:
    """Where an authorization server describes itself, or an OpenID provider does."""
    address = urlsplit(issuer)
    path = address.path.rstrip("/")
    yield _at(address, f"/.well-known/oauth-authorization-server{path}")
    yield _at(address, f"/.well-known/openid-configuration{path}")
    if path:
        yield _at(address, f"{path}/.well-known/openid-configuration")


def origin_of(url: str) -> str:
    return _at(urlsplit(url), "")


def covers(resource: str, url: str) -> bool:
    """Whether what calls itself so is the server at this address: the same host, and a path above it."""
    told, asked = urlsplit(resource), urlsplit(url)
    same_host = (told.scheme, told.netloc.lower()) == (asked.scheme, asked.netloc.lower())
    above = told.path.rstrip("/") + "/"
    return same_host and (asked.path.rstrip("/") + "/").startswith(above)


_PARAMETER = re.compile(r'\b(resource_metadata|scope)\s*=\s*"([^"]{1,2000})"', re.IGNORECASE)


def challenge_in(header: str) -> dict[str, str]:
    """What a refusal tells (RFC 9728, section 5.1): where the document is, and which scopes are wanted."""
    return {name.lower(): value for name, value in _PARAMETER.findall(header[:8000])}


def _at(address: SplitResult, path: str) -> str:
    return urlunsplit((address.scheme, address.netloc, path, "", ""))
