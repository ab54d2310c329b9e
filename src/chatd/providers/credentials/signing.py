"""How a request shows who pays: keys in the header that a provider wants, and credentials of clouds.

Whatever blocks happens in a thread. Nothing in here shows a key, in no text and in no error.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from chatd.catalog.models.rows import ProviderType
from chatd.catalog.rules.checks import AMBIENT_ADVICE, AMBIENT_REFUSED
from chatd.catalog.rules.cloud_hosts import is_own_host
from chatd.domain.ids import SECOND
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.kit.concurrency.once import Once
from chatd.providers.credentials.clouds import (
    Load,
    Token,
    aws_keys,
    aws_signature,
)
from chatd.providers.credentials.secret import Secret

BEARER_HEADER = "authorization"
_BEARER = "Bearer "
# Part of a signature, and no secret: an error about a wrong clock has to show the time.
_PUBLIC = frozenset({"x-amz-date"})

# A token that ends while its request is on the way is of no use.
RENEW_EARLY_SECONDS = 300


class Credentials(Protocol):
    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
        """Headers, in lower case, that say who pays for this request. Raises ProviderError."""
        ...


def keys_in(signed: Mapping[str, str]) -> tuple[str, ...]:
    """What only the provider may read of these headers."""
    return tuple(value.removeprefix(_BEARER) for name, value in signed.items() if name not in _PUBLIC)


class NoCredentials:
    """For a server that asks for nothing, such as one's own."""

    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:  # noqa: ARG002
        return {}


class Key:
    def __init__(self, header: str, key: Secret) -> None:
        self._header = header.lower()
        self._key = key

    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:  # noqa: ARG002
        prefix = _BEARER if self._header == BEARER_HEADER else ""
        return {self._header: prefix + self._key.reveal()}


class CloudToken:
    """A bearer token, fetched once and used until shortly before its end."""

    def __init__(self, fetch: Callable[[], Token], clock: Clock) -> None:
        self._token = Once(fetch)
        self._clock = clock

    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:  # noqa: ARG002
        token = await self._token.value()
        if token.ends_micros - RENEW_EARLY_SECONDS * SECOND <= self._clock.now_micros():
            self._token.forget(token)
            token = await self._token.value()
        return {BEARER_HEADER: _BEARER + token.text.reveal()}


class AwsSignature:
    """Signature version 4, with keys that are looked for once."""

    def __init__(self, region: str, key: Secret | None, load: Load) -> None:
        self._region = region
        self._load = load
        self._keys: Once[Any] = Once(partial(aws_keys, load, key))

    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
        keys = await self._keys.value()
        return await asyncio.to_thread(aws_signature, self._load, keys, self._region, url, body)


class OwnHosts:
    """Credentials of the machine, for the hosts of their cloud alone.

    Asked at every call, with the very address that is called: it may come from a row that was saved by an
    older version, or past every check.
    """

    def __init__(self, type_: ProviderType, inner: Credentials) -> None:
        self._type = type_
        self._inner = inner

    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
        if not is_own_host(self._type, url):
            raise wrong_settings(AMBIENT_REFUSED, AMBIENT_ADVICE, fault="ambient_address")
        return await self._inner.sign(url, body)


def wrong_settings(what: str, advice: str, *, fault: str = "settings") -> ProviderError:
    return ProviderError("config", f"This provider cannot be called. {what}", fault=fault, detail=advice)
