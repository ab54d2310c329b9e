"""The credentials of all providers. Those of clouds are kept for the next call."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial

from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.catalog.rules.checks import is_sendable
from chatd.kit.clock import Clock
from chatd.providers.credentials.clouds import (
    Load,
    Token,
    azure_token,
    google_token,
    is_aws_keys,
    is_service_account,
)
from chatd.providers.credentials.secret import Secret
from chatd.providers.credentials.signing import (
    BEARER_HEADER,
    AwsSignature,
    CloudToken,
    Credentials,
    Key,
    NoCredentials,
    OwnHosts,
    wrong_settings,
)

# The header that carries the key, where the settings name no other.
KEY_HEADERS: Mapping[ProviderType, str] = {
    ProviderType.ANTHROPIC: "x-api-key",
    ProviderType.AZURE: "api-key",
    ProviderType.GOOGLE: "x-goog-api-key",
}
# Credentials with something to remember. The oldest goes first.
REMEMBERED_MAX = 256


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

        A provider that is `declared` in the settings file may get the machine's credentials at any address.
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
                raise wrong_settings(
                    "It takes no credentials from the machine it is called from.",
                    "Remove ambient_credentials from its settings, and give it a key.",
                )
            case _ if key is None:
                return NoCredentials()
            case _ if not is_sendable(text):
                # A key file can be anything, and is read anew each time.
                raise wrong_settings("Its key has characters that cannot be sent.", "Enter the key again.")
            case _:
                return Key(settings.key_header or KEY_HEADERS.get(type_, BEARER_HEADER), key)

    def _aws(self, region: str | None, key: Secret | None) -> Credentials:
        if not region:
            raise wrong_settings("No AWS region is set.", "Set region, for example us-east-1.")
        return self._kept(("aws", region, key), lambda: AwsSignature(region, key, self._load))

    def _token(self, name: tuple[object, ...], fetch: Callable[[], Token]) -> Credentials:
        return self._kept(name, lambda: CloudToken(fetch, self._clock))

    def _kept(self, name: tuple[object, ...], make: Callable[[], Credentials]) -> Credentials:
        if name not in self._remembered:
            if len(self._remembered) >= REMEMBERED_MAX:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[name] = make()
        return self._remembered[name]
