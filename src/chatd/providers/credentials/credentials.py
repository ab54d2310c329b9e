"""Who pays: keys in the header that a provider wants, and credentials of clouds.

Whatever blocks happens in a thread. Nothing in here shows a key, in no text and in no error.
"""

import asyncio
import importlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from chatd.catalog.checks import AMBIENT_ADVICE, AMBIENT_REFUSED, is_sendable
from chatd.catalog.cloud_hosts import is_own_host
from chatd.catalog.rows import ProviderSettings, ProviderType
from chatd.domain.ids import SECOND
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.kit.once import Once
from chatd.providers.credentials.clouds import (
    Load,
    Token,
    aws_keys,
    aws_signature,
    azure_token,
    google_token,
    is_aws_keys,
    is_service_account,
)
from chatd.providers.credentials.secret import Secret

# The header that carries the key, where the settings name no other.
KEY_HEADERS: Mapping[ProviderType, str] = {
    ProviderType.ANTHROPIC: "x-api-key",
    ProviderType.AZURE: "api-key",
    ProviderType.GOOGLE: "x-goog-api-key",
}
BEARER_HEADER = "authorization"
_BEARER = "Bearer "
# Part of a signature, and no secret: who signs with a wrong clock has to be told which.
_PUBLIC = frozenset({"x-amz-date"})

# A token that ends while its request is on the way is of no use.
RENEW_EARLY_SECONDS = 300
# Credentials with something to remember. The oldest goes first.
REMEMBERED_MAX = 256


class Credentials(Protocol):
    async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
        """Headers, in lower case, that say who pays for this request. Raises ProviderError."""
        ...


def keys_in(signed: Mapping[str, str]) -> tuple[str, ...]:
    """What nobody but the provider may read of these headers."""
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
            raise _wrong(AMBIENT_REFUSED, AMBIENT_ADVICE, fault="ambient_address")
        return await self._inner.sign(url, body)


class CredentialCache:
    """The credentials of all providers. What is fetched for one call is there for the next."""

    def __init__(self, clock: Clock, load: Load = importlib.import_module) -> None:
        self._clock = clock
        self._load = load
        self._remembered: dict[tuple[object, ...], Credentials] = {}

    def credentials(
        self,
        type_: ProviderType,
        settings: ProviderSettings,
        key: Secret | None,
        *,
        declared: bool = False,
    ) -> Credentials:
        """Raises ProviderError when the settings do not fit together.

        Whoever has `declared` the provider operates the machine, and may send its credentials anywhere.
        """
        found = self._found(type_, settings, key)
        ambient = settings.ambient_credentials and key is None
        return OwnHosts(type_, found) if ambient and not declared else found

    def _found(self, type_: ProviderType, settings: ProviderSettings, key: Secret | None) -> Credentials:
        text = key.reveal() if key is not None else ""
        ambient = settings.ambient_credentials and key is None
        match type_:
            case ProviderType.BEDROCK if ambient or is_aws_keys(text):
                return self._aws(settings.region, key)
            # Google serves models of others in the dialect of OpenAI.
            case ProviderType.OPENAI_COMPATIBLE if is_service_account(text):
                return self._token(("google", key), partial(google_token, self._load, key))
            case ProviderType.GOOGLE if ambient or is_service_account(text):
                return self._token(("google", key), partial(google_token, self._load, key))
            case ProviderType.AZURE if ambient:
                return self._token(("azure",), partial(azure_token, self._load))
            case _ if ambient:
                raise _wrong(
                    "It takes no credentials from the machine it is called from.",
                    "Remove ambient_credentials from its settings, and give it a key.",
                )
            case _ if key is None:
                return NoCredentials()
            case _ if not is_sendable(text):
                # A key file can be anything, and is read anew each time.
                raise _wrong("Its key has characters that cannot be sent.", "Enter the key again.")
            case _:
                return Key(settings.key_header or KEY_HEADERS.get(type_, BEARER_HEADER), key)

    def _aws(self, region: str | None, key: Secret | None) -> Credentials:
        if not region:
            raise _wrong("No AWS region is set.", "Set region, for example us-east-1.")
        return self._kept(("aws", region, key), lambda: AwsSignature(region, key, self._load))

    def _token(self, name: tuple[object, ...], fetch: Callable[[], Token]) -> Credentials:
        return self._kept(name, lambda: CloudToken(fetch, self._clock))

    def _kept(self, name: tuple[object, ...], make: Callable[[], Credentials]) -> Credentials:
        if name not in self._remembered:
            if len(self._remembered) >= REMEMBERED_MAX:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[name] = make()
        return self._remembered[name]


def _wrong(what: str, advice: str, *, fault: str = "settings") -> ProviderError:
    return ProviderError("config", f"This provider cannot be called. {what}", fault=fault, detail=advice)
