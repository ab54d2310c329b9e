import pytest

from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.catalog.rules.addresses import base_url_of, is_private
from chatd.errors import ProviderError
from chatd.providers.transport.addresses import url_of
from tests.traceability import proves

COMPATIBLE = ProviderType.OPENAI_COMPATIBLE
PLAIN = ProviderSettings()


@pytest.mark.parametrize(
    ("type_", "settings", "expected"),
    [
        (ProviderType.ANTHROPIC, PLAIN, "https://api.anthropic.com"),
        (ProviderType.OPENAI, PLAIN, "https://api.openai.com/v1"),
        (ProviderType.OPENROUTER, PLAIN, "https://openrouter.ai/api/v1"),
        (ProviderType.VERCEL, PLAIN, "https://ai-gateway.vercel.sh/v1"),
        (ProviderType.GOOGLE, PLAIN, "https://generativelanguage.googleapis.com"),
        (ProviderType.OLLAMA, PLAIN, "http://127.0.0.1:11434/v1"),
        (
            ProviderType.BEDROCK,
            ProviderSettings(region="eu-central-1"),
            "https://bedrock-runtime.eu-central-1.amazonaws.com",
        ),
        (
            ProviderType.GOOGLE,
            ProviderSettings(project="acme", location="europe-west4"),
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4",
        ),
        (
            ProviderType.GOOGLE,
            ProviderSettings(project="acme"),
            "https://aiplatform.googleapis.com/v1/projects/acme/locations/global",
        ),
        (
            ProviderType.GOOGLE,
            ProviderSettings(project="acme", location="eu"),
            "https://aiplatform.eu.rep.googleapis.com/v1/projects/acme/locations/eu",
        ),
    ],
)
def test_providers_have_a_usual_address(
    type_: ProviderType, settings: ProviderSettings, expected: str
) -> None:
    assert base_url_of(type_, None, settings) == expected
    assert base_url_of(type_, " ", settings) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://gate.example.com", "https://gate.example.com/v1/projects/acme/locations/eu"),
        (
            "https://gate.example.com/google/v1beta1",
            "https://gate.example.com/google/v1beta1/projects/acme/locations/eu",
        ),
        (
            "https://gate.example.com/v1/projects/b/locations/us",
            "https://gate.example.com/v1/projects/b/locations/us",
        ),
    ],
)
def test_a_project_of_vertex_is_found_behind_a_gateway_too(given: str, expected: str) -> None:
    assert (
        base_url_of(ProviderType.GOOGLE, given, ProviderSettings(project="acme", location="eu")) == expected
    )


@pytest.mark.parametrize("type_", [COMPATIBLE, ProviderType.AZURE, ProviderType.BEDROCK])
def test_others_must_be_told(type_: ProviderType) -> None:
    with pytest.raises(ProviderError) as failed:
        base_url_of(type_, None, PLAIN)

    assert failed.value.kind == "config"
    assert failed.value.detail


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://api.example.com/v1/", "https://api.example.com/v1"),
        ("  https://API.example.com//v1// ", "https://api.example.com/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("api.example.com:8443", "https://api.example.com:8443"),
        ("localhost:11434/v1", "http://localhost:11434/v1"),
        # Another machine, however near: a key must not be guessed into the open.
        ("192.168.1.7:8000", "https://192.168.1.7:8000"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/responses/", "https://api.example.com/v1"),
        ("https://api.example.com/claude/v1/messages", "https://api.example.com/claude"),
        ("https://api.example.com/v1#notes", "https://api.example.com/v1"),
        ("https://api.example.com/v1?team=a", "https://api.example.com/v1?team=a"),
    ],
)
def test_an_address_is_taken_as_people_write_it(given: str, expected: str) -> None:
    assert base_url_of(COMPATIBLE, given, PLAIN) == expected


@pytest.mark.parametrize(
    "given",
    ["ftp://example.com", "https://", "https://example.com:port", "https://[broken", "[broken", "file:/etc"],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ProviderError) as failed:
        base_url_of(COMPATIBLE, given, PLAIN)

    assert failed.value.kind == "config"


def test_a_password_does_not_belong_in_an_address_and_is_not_repeated() -> None:
    with pytest.raises(ProviderError) as failed:
        base_url_of(COMPATIBLE, "https://me:hunter2@example.com", PLAIN)

    assert "hunter2" not in f"{failed.value.message} {failed.value.detail}"


@pytest.mark.parametrize("region", ["us-east-1.evil.example", "us/east", "", "eu west"])
def test_a_region_is_a_name_and_nothing_else(region: str) -> None:
    with pytest.raises(ProviderError):
        base_url_of(ProviderType.BEDROCK, None, ProviderSettings(region=region))


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "::1", "fd00::1", "100.64.0.9"),
        *("fe80::1%eth0", "ollama", "host.docker.internal", "box.local", "a.localhost"),
    ],
)
def test_a_private_host_needs_no_tls(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize(
    "host", ["example.com", "8.8.8.8", "134744072", "172.32.0.1", "2606:4700::1", "local.example.com"]
)
def test_a_public_host_needs_tls(host: str) -> None:
    assert not is_private(host)
    address = f"http://[{host}]" if ":" in host else f"http://{host}"
    with pytest.raises(ProviderError) as failed:
        base_url_of(COMPATIBLE, address, PLAIN)
    assert "TLS" in failed.value.message

    assert base_url_of(COMPATIBLE, address, ProviderSettings(allow_plain_http=True)) == address


@proves("model-layer", 122)
@pytest.mark.parametrize(
    "given",
    [
        "https://acme.openai.azure.com",
        "https://acme.openai.azure.com/openai/v1/",
        "acme.cognitiveservices.azure.com",
        "https://acme.services.ai.azure.com/api/projects/one",
        "https://acme.openai.azure.com/openai/v1/responses?api-version=preview",
    ],
)
def test_every_host_of_an_azure_resource_means_the_same(given: str) -> None:
    assert base_url_of(ProviderType.AZURE, given, PLAIN) == "https://acme.openai.azure.com/openai/v1"


def test_a_national_cloud_of_azure_stays_in_its_country() -> None:
    assert (
        base_url_of(ProviderType.AZURE, "acme.openai.azure.us", PLAIN)
        == "https://acme.openai.azure.us/openai/v1"
    )


@proves("model-layer", 122)
@pytest.mark.parametrize(
    "given",
    [
        "https://gateway.example.com/azure",
        "https://acme.openai.azure.com/openai/deployments/large?api-version=2024-10-21",
    ],
)
def test_an_unknown_azure_address_is_used_as_it_is(given: str) -> None:
    assert base_url_of(ProviderType.AZURE, given, PLAIN) == given


@proves("model-layer", 152)
@pytest.mark.parametrize(
    ("base", "path", "expected"),
    [
        ("https://a.b/v1", "/responses", "https://a.b/v1/responses"),
        ("https://a.b", "/v1/messages", "https://a.b/v1/messages"),
        ("https://a.b/v1", "/v1/messages", "https://a.b/v1/messages"),
        ("https://a.b/x/v1/messages", "/v1/messages", "https://a.b/x/v1/messages"),
        ("https://a.b/v1beta", "/v1beta/models/m:go?alt=sse", "https://a.b/v1beta/models/m:go?alt=sse"),
        ("https://a.b/d?api-version=1", "/go?alt=sse", "https://a.b/d/go?api-version=1&alt=sse"),
        ("https://a.b", "/model/arn%3Aaws%2Fx/go", "https://a.b/model/arn%3Aaws%2Fx/go"),
    ],
)
def test_a_path_follows_its_base_without_saying_anything_twice(base: str, path: str, expected: str) -> None:
    assert url_of(base, path) == expected


DEPLOYMENT = "https://acme.openai.azure.com/openai/deployments/large"
SET = ProviderSettings(api_version="2025-04-01-preview")


@pytest.mark.parametrize(
    ("given", "settings", "expected"),
    [
        (DEPLOYMENT, PLAIN, f"{DEPLOYMENT}/chat/completions?api-version=2024-10-21"),
        (f"{DEPLOYMENT}/chat/completions", PLAIN, f"{DEPLOYMENT}/chat/completions?api-version=2024-10-21"),
        (DEPLOYMENT, SET, f"{DEPLOYMENT}/chat/completions?api-version=2025-04-01-preview"),
        # A name and nothing else: it cannot add a parameter of its own.
        (
            DEPLOYMENT,
            ProviderSettings(api_version="1&key=2#"),
            f"{DEPLOYMENT}/chat/completions?api-version=1%26key%3D2%23",
        ),
        # What the address says itself counts.
        (
            f"{DEPLOYMENT}?api-version=2024-06-01",
            SET,
            f"{DEPLOYMENT}/chat/completions?api-version=2024-06-01",
        ),
        # A gateway in between passes it on.
        (
            "https://gate.example/azure/openai/deployments/large",
            PLAIN,
            "https://gate.example/azure/openai/deployments/large/chat/completions?api-version=2024-10-21",
        ),
        # The newer address names its version in the path.
        (
            "https://acme.openai.azure.com",
            SET,
            "https://acme.openai.azure.com/openai/v1/chat/completions",
        ),
        ("https://gate.example/azure", PLAIN, "https://gate.example/azure/chat/completions"),
    ],
)
def test_an_azure_deployment_is_called_with_the_version_of_its_api(
    given: str, settings: ProviderSettings, expected: str
) -> None:
    assert url_of(base_url_of(ProviderType.AZURE, given, settings), "/chat/completions") == expected
