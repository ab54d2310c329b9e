"""The identity provider: where its endpoints are, and the keys that it signs with.

Both are read when somebody signs in, and remembered for ten minutes. For a key that is not among them they
are read again, at most once a minute: nobody can have us call the provider as often as they like.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from chatd.accounts.ways_in.declared import Oidc, is_safe_address
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.kit.outbound.exchange import Exchange, HttpAnswer, NoAnswer

KNOWN_SECONDS = 600.0
ASKED_AGAIN_SECONDS = 60.0
# Of one provider; those that rotate often publish a handful.
KEYS_MAX = 100

T = TypeVar("T", bound=Struct)


class Metadata(Struct, frozen=True, kw_only=True):
    """What a provider tells of itself, as far as we use it."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] | None = None
    # It names itself in what the browser comes back with (RFC 9207).
    authorization_response_iss_parameter_supported: bool = False


class _KeySet(Struct, frozen=True):
    keys: Sequence[Mapping[str, Any]]


class Provider:
    def __init__(self, way: Oidc, exchange: Exchange, monotonic: Callable[[], float]) -> None:
        self.way = way
        self._exchange = exchange
        self._monotonic = monotonic
        # One at a time asks; the others have its answer.
        self._asking = asyncio.Lock()
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: tuple[float, Sequence[Mapping[str, Any]]] | None = None

    async def metadata(self) -> Metadata:
        """Raises NotSignedIn."""
        async with self._asking:
            if self._metadata is None or self._age(self._metadata[0]) >= KNOWN_SECONDS:
                self._metadata = self._monotonic(), await self._read_metadata()
            return self._metadata[1]

    async def keys(self, key_id: str | None) -> Sequence[Mapping[str, Any]]:
        """Its public keys, with that of this id among them if there is one. Raises NotSignedIn."""
        jwks_uri = (await self.metadata()).jwks_uri
        async with self._asking:
            if self._keys is None or self._age(self._keys[0]) >= self._patience(key_id):
                self._keys = self._monotonic(), await self._read_keys(jwks_uri)
            return self._keys[1]

    def _patience(self, key_id: str | None) -> float:
        """How old the keys may be for somebody who has this one."""
        assert self._keys is not None
        is_known = key_id is None or any(key.get("kid") == key_id for key in self._keys[1])
        return KNOWN_SECONDS if is_known else ASKED_AGAIN_SECONDS

    def _age(self, read_at: float) -> float:
        return self._monotonic() - read_at

    async def _read_metadata(self) -> Metadata:
        found = await self.ask("GET", f"{self.way.issuer.rstrip('/')}/.well-known/openid-configuration")
        metadata = _decoded(found, Metadata)
        # Another one would be believed in this one's name.
        if metadata.issuer != self.way.issuer:
            raise NotSignedIn(Failure.AWAY, "the provider calls itself otherwise than the settings do")
        endpoints = (
            metadata.authorization_endpoint,
            metadata.token_endpoint,
            metadata.jwks_uri,
            metadata.userinfo_endpoint or metadata.token_endpoint,
        )
        if not all(map(is_safe_address, endpoints)):
            raise NotSignedIn(Failure.AWAY, "an endpoint of the provider is not at an https:// address")
        return metadata

    async def _read_keys(self, jwks_uri: str) -> Sequence[Mapping[str, Any]]:
        return _decoded(await self.ask("GET", jwks_uri), _KeySet).keys[:KEYS_MAX]

    async def ask(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """One bounded request, to a host that the administrator has named. Raises NotSignedIn."""
        try:
            return await self._exchange.ask(method, url, trusted=True, headers=headers, form=form)
        except NoAnswer as error:
            raise NotSignedIn(Failure.AWAY, f"{urlsplit(url).path}: {error}") from None


def _decoded(answer: HttpAnswer, type_: type[T]) -> T:
    if not answer.is_well:
        raise NotSignedIn(Failure.AWAY, f"the provider answered with status {answer.status}")
    try:
        return msgspec.json.decode(answer.body, type=type_)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise NotSignedIn(
            Failure.AWAY, f"the provider did not answer with {type_.__name__.strip('_')}"
        ) from None
