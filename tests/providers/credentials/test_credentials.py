"""Who pays, with the clouds' own packages; their servers are ours."""

import asyncio
import copy
import json
import pickle
import re
import threading
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from msgspec import Struct

from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.errors import ProviderError
from chatd.kit.clock import SystemClock
from chatd.providers.credentials import clouds
from chatd.providers.credentials.cache import REMEMBERED_MAX, CredentialCache
from chatd.providers.credentials.secret import Secret
from chatd.providers.credentials.signing import Credentials, keys_in
from tests.clock import MovedClock
from tests.providers.transport.server import Exchange, Server, serving
from tests.traceability import proves

KEY = Secret("sk-very-secret")
URL = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v1%3A0/converse-stream"
AWS = ProviderSettings(region="us-east-1")
AMBIENT = ProviderSettings(region="us-east-1", ambient_credentials=True)


URLS = {
    ProviderType.AZURE: "https://acme.openai.azure.com/openai/v1/responses",
    ProviderType.GOOGLE: "https://aiplatform.googleapis.com/v1/models/m:streamGenerateContent",
}


async def signed(credentials: Credentials, url: str = URL) -> dict[str, str]:
    return dict(await credentials.sign(url, b"{}"))


@pytest.fixture
def cache() -> CredentialCache:
    return CredentialCache(SystemClock())


@pytest.fixture(autouse=True)
def no_credentials_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_CONFIG_FILE", f"{tmp_path}/config")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", f"{tmp_path}/credentials")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize(
    ("type_", "settings", "expected"),
    [
        (ProviderType.ANTHROPIC, ProviderSettings(), {"x-api-key": "sk-very-secret"}),
        (
            ProviderType.ANTHROPIC,
            ProviderSettings(key_header="Authorization"),
            {"authorization": "Bearer sk-very-secret"},
        ),
        (ProviderType.OPENAI, ProviderSettings(), {"authorization": "Bearer sk-very-secret"}),
        (ProviderType.OPENAI_COMPATIBLE, ProviderSettings(key_header="X-Gate"), {"x-gate": "sk-very-secret"}),
        (ProviderType.AZURE, ProviderSettings(), {"api-key": "sk-very-secret"}),
        (ProviderType.GOOGLE, ProviderSettings(), {"x-goog-api-key": "sk-very-secret"}),
        (ProviderType.BEDROCK, AWS, {"authorization": "Bearer sk-very-secret"}),
        # A key wins over what the machine has.
        (ProviderType.BEDROCK, AMBIENT, {"authorization": "Bearer sk-very-secret"}),
    ],
)
async def test_a_key_goes_into_the_header_that_the_provider_wants(
    cache: CredentialCache,
    type_: ProviderType,
    settings: ProviderSettings,
    expected: dict[str, str],
) -> None:
    assert await signed(cache.credentials(type_, settings, KEY)) == expected


async def test_a_server_of_ones_own_needs_no_key(cache: CredentialCache) -> None:
    assert await signed(cache.credentials(ProviderType.OLLAMA, ProviderSettings(), None)) == {}


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-one\r\nx-other: 1", "sk-\N{SNOWMAN}", '{\n"a": 1}'])
def test_a_key_that_cannot_be_sent_is_told_and_not_shown(cache: CredentialCache, key: str) -> None:
    with pytest.raises(ProviderError, match="cannot be sent") as failed:
        cache.credentials(ProviderType.OPENAI, ProviderSettings(), Secret(key))

    assert failed.value.kind == "config"
    assert key not in f"{failed.value.message} {failed.value.detail}"


def test_a_secret_is_not_shown_by_accident(cache: CredentialCache) -> None:
    class Kept(Struct):
        key: Secret

    shown = [repr(KEY), str(KEY), f"{KEY}", f"{Kept(KEY)}", f"{[KEY]}"]
    shown += [
        repr(cache.credentials(ProviderType.OPENAI, ProviderSettings(), KEY)),
        repr(cache),
    ]

    assert not [text for text in shown if "very" in text]
    with pytest.raises(TypeError):
        pickle.dumps(KEY)
    with pytest.raises(TypeError):
        copy.copy(KEY)


@pytest.mark.parametrize(
    ("type_", "settings"),
    [
        (ProviderType.OPENAI, ProviderSettings(ambient_credentials=True)),
        (ProviderType.BEDROCK, ProviderSettings(ambient_credentials=True)),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(
    cache: CredentialCache, type_: ProviderType, settings: ProviderSettings
) -> None:
    with pytest.raises(ProviderError) as failed:
        cache.credentials(type_, settings, None)

    assert failed.value.kind == "config"
    assert failed.value.detail


@pytest.mark.parametrize(
    ("type_", "extra"),
    [(ProviderType.BEDROCK, "aws"), (ProviderType.GOOGLE, "google"), (ProviderType.AZURE, "azure")],
)
async def test_a_missing_package_is_told_with_advice(type_: ProviderType, extra: str) -> None:
    def load(name: str) -> ModuleType:
        raise ModuleNotFoundError(name)

    credentials = CredentialCache(SystemClock(), load).credentials(type_, AMBIENT, None)
    with pytest.raises(ProviderError) as failed:
        await signed(credentials, URLS.get(type_, URL))

    assert (failed.value.kind, failed.value.retryable) == ("config", False)
    assert f"chatd[{extra}]" in (failed.value.detail or "")


AWS_KEYS = Secret("AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


async def test_keys_of_aws_sign_each_request(cache: CredentialCache) -> None:
    credentials = cache.credentials(ProviderType.BEDROCK, AWS, AWS_KEYS)

    headers = await signed(credentials)
    other = dict(await credentials.sign(URL, b'{"other": 1}'))

    pattern = (
        r"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/\d{8}/us-east-1/bedrock/aws4_request, "
        r"SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}"
    )
    assert re.fullmatch(pattern, headers["authorization"])
    assert set(headers) == {"authorization", "x-amz-date"}
    assert other["authorization"] != headers["authorization"]
    assert "wJalr" not in str(headers)


async def test_a_session_of_aws_is_sent_along(cache: CredentialCache) -> None:
    key = Secret(AWS_KEYS.reveal().replace("AKIA", "ASIA") + ":session")

    headers = await signed(cache.credentials(ProviderType.BEDROCK, AWS, key))

    assert headers["x-amz-security-token"] == "session"


async def test_a_machine_without_credentials_is_told_so(cache: CredentialCache) -> None:
    with pytest.raises(ProviderError) as failed:
        await signed(cache.credentials(ProviderType.BEDROCK, AMBIENT, None))

    assert (failed.value.kind, failed.value.retryable) == ("auth", False)


class Cloud:
    """Hands out credentials, but not before the test says so."""

    def __init__(self, answer: dict[str, object]) -> None:
        self.may_answer = asyncio.Event()
        self.answer = answer

    async def script(self, exchange: Exchange) -> None:
        await self.may_answer.wait()
        body = json.dumps(self.answer).encode()
        exchange.begin(content_type="application/json")
        exchange.say(body)
        exchange.end()
        exchange.leave()


async def while_the_cloud_thinks(
    cloud: Cloud, server: Server, credentials: Credentials, url: str = URL
) -> dict[str, str]:
    """The loop turns, and others ask too, while one request waits for its credentials."""
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(signed(credentials, url)) for _ in range(3)]
        await server.until(lambda: len(server.asked) == 1)
        assert not any(task.done() for task in waiting)
        cloud.may_answer.set()
    headers = await signed(credentials, url)
    assert all(set(task.result()) == set(headers) for task in waiting)
    assert len(server.asked) == 1
    return headers


@proves("model-layer", 156)
async def test_slow_credentials_of_aws_block_no_other_call_and_are_kept(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud(
        {
            "AccessKeyId": "ASIAEXAMPLEEXAMPLE00",
            "SecretAccessKey": "secret",
            "Token": "session",
            "Expiration": "2099-01-01T00:00:00Z",
        }
    )
    async with serving(cloud.script) as server:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{server.address}/credentials")
        credentials = cache.credentials(ProviderType.BEDROCK, AMBIENT, None)
        headers = await while_the_cloud_thinks(cloud, server, credentials)

    assert "ASIAEXAMPLEEXAMPLE00" in headers["authorization"]
    assert headers["x-amz-security-token"] == "session"


def service_account(token_uri: str) -> Secret:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "client_email": "agent@acme.iam.gserviceaccount.com",
        "private_key_id": "1",
        "private_key": pem.decode(),
        "token_uri": token_uri,
    }
    return Secret(json.dumps(account))


@proves("model-layer", 156)
async def test_slow_tokens_of_google_block_no_other_call_and_are_kept(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud({"access_token": "ya29.token", "expires_in": 3600, "token_type": "Bearer"})
    async with serving(cloud.script) as server:
        monkeypatch.setattr(clouds, "GOOGLE_TOKEN_URI", f"{server.address}/token")
        key = service_account(clouds.GOOGLE_TOKEN_URI)
        credentials = cache.credentials(ProviderType.GOOGLE, ProviderSettings(project="acme"), key)
        headers = await while_the_cloud_thinks(cloud, server, credentials)

    assert headers == {"authorization": "Bearer ya29.token"}


async def test_a_service_account_does_not_choose_who_is_called_from_within_our_network(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud({"access_token": "ya29.token", "expires_in": 3600, "token_type": "Bearer"})
    cloud.may_answer.set()
    async with serving(cloud.script) as google, serving(cloud.script) as internal:
        monkeypatch.setattr(clouds, "GOOGLE_TOKEN_URI", f"{google.address}/token")
        key = service_account(f"{internal.address}/admin")
        await signed(cache.credentials(ProviderType.GOOGLE, ProviderSettings(project="acme"), key))

        assert (len(google.asked), len(internal.asked)) == (1, 0)


async def test_a_service_account_also_pays_where_google_speaks_like_openai_and_is_never_sent_itself(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud({"access_token": "ya29.token", "expires_in": 3600, "token_type": "Bearer"})
    cloud.may_answer.set()
    async with serving(cloud.script) as server:
        monkeypatch.setattr(clouds, "GOOGLE_TOKEN_URI", f"{server.address}/token")
        key = service_account(clouds.GOOGLE_TOKEN_URI)
        compatible = cache.credentials(ProviderType.OPENAI_COMPATIBLE, ProviderSettings(), key)

        assert await signed(compatible) == {"authorization": "Bearer ya29.token"}


def test_what_is_secret_of_a_signature_is_known_and_its_date_is_not() -> None:
    headers = {"authorization": "Bearer abc", "x-amz-security-token": "session", "x-amz-date": "20270115"}
    assert keys_in(headers) == ("abc", "session")


def test_tokens_of_google_come_from_google() -> None:
    assert clouds.GOOGLE_TOKEN_URI == "https://oauth2.googleapis.com/token"


@proves("model-layer", 156)
async def test_slow_tokens_of_azure_block_no_other_call_and_are_kept(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = Cloud({"access_token": "eyJ.token", "expires_on": "4070908800", "token_type": "Bearer"})
    async with serving(cloud.script) as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{server.address}/msi/token")
        monkeypatch.setenv("IDENTITY_HEADER", "of this machine")
        credentials = cache.credentials(ProviderType.AZURE, ProviderSettings(ambient_credentials=True), None)
        headers = await while_the_cloud_thinks(cloud, server, credentials, URLS[ProviderType.AZURE])

    assert headers == {"authorization": "Bearer eyJ.token"}


async def test_a_token_is_renewed_before_it_ends() -> None:
    clock = MovedClock()
    ends = clock.now_micros() // 1_000_000 + 3600
    fetched: list[int] = []

    class Identity(ModuleType):
        class DefaultAzureCredential:
            def __enter__(self) -> "Identity.DefaultAzureCredential":
                return self

            def __exit__(self, *_: object) -> None:
                pass

            def get_token(self, scope: str) -> object:
                class AccessToken:
                    token = f"token {len(fetched)}"
                    expires_on = ends + 3600 * len(fetched)

                fetched.append(threading.get_ident())
                return AccessToken

    cache = CredentialCache(clock, Identity)
    settings = ProviderSettings(ambient_credentials=True)

    async def token() -> str:
        credentials = cache.credentials(ProviderType.AZURE, settings, None)
        return (await signed(credentials, URLS[ProviderType.AZURE]))["authorization"]

    assert await token() == "Bearer token 0"
    await clock.advance(3600 - 301)
    assert await token() == "Bearer token 0"
    await clock.advance(2)
    assert await token() == "Bearer token 1"
    assert len(fetched) == 2


async def test_a_service_account_that_is_refused_shows_nothing_of_itself(
    cache: CredentialCache,
) -> None:
    broken = Secret('{"type": "service_account", "private_key": "very secret"')

    with pytest.raises(ProviderError) as failed:
        await signed(cache.credentials(ProviderType.GOOGLE, ProviderSettings(), broken))

    assert failed.value.kind == "auth"
    assert "secret" not in f"{failed.value.message} {failed.value.detail}"


def test_what_is_remembered_has_a_limit(cache: CredentialCache) -> None:
    for number in range(REMEMBERED_MAX * 2):
        cache.credentials(ProviderType.GOOGLE, ProviderSettings(), Secret(json.dumps({"number": number})))

    assert len(cache._remembered) == REMEMBERED_MAX


@pytest.mark.parametrize(
    ("type_", "url"),
    [
        (ProviderType.BEDROCK, "https://evil.example/model/a/converse-stream"),
        (ProviderType.BEDROCK, "http://bedrock-runtime.us-east-1.amazonaws.com/model/a/converse-stream"),
        (ProviderType.GOOGLE, "https://evil.example/v1beta/models/m:go"),
        (ProviderType.AZURE, "https://evil.example/openai/v1/responses"),
    ],
)
async def test_credentials_of_the_machine_go_to_their_own_cloud_alone(
    cache: CredentialCache, type_: ProviderType, url: str
) -> None:
    credentials = cache.credentials(type_, AMBIENT, None)

    with pytest.raises(ProviderError) as failed:
        await credentials.sign(url, b"{}")

    assert (failed.value.kind, failed.value.fault) == ("config", "ambient_address")
    assert "chatd.toml" in (failed.value.detail or "")


async def test_who_operates_the_machine_may_declare_another_address_for_its_credentials(
    cache: CredentialCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    credentials = cache.credentials(ProviderType.BEDROCK, AMBIENT, None, declared=True)

    headers = await credentials.sign("https://gateway.example/model/a/converse-stream", b"{}")

    assert "AKIAIOSFODNN7EXAMPLE" in headers["authorization"]
