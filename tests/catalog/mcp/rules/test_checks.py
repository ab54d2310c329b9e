"""What of an MCP server goes together."""

import pytest
from msgspec.structs import replace

from chatd.catalog.mcp.config import (
    NO_SECRETS,
    AuthType,
    Availability,
    McpConfig,
    McpSecrets,
    OAuth,
)
from chatd.catalog.mcp.rules.checks import problem_of_server
from chatd.catalog.mcp.server import Transport
from chatd.domain.ids import UserId

REMOTE = McpConfig(id="s1", slug="desk", transport=Transport.SSE, url="https://desk.example/mcp")
PROGRAM = McpConfig(id="s2", slug="tools", transport=Transport.STDIO, command=("npx", "server"))
CLIENT = OAuth(client_id="c", auth_url="https://a.example", token_url="https://t.example")
SIGNED = replace(REMOTE, auth_type=AuthType.OAUTH2, oauth=CLIENT)
OWNER = UserId("ann")


def field_of(config: McpConfig, secrets: McpSecrets = NO_SECRETS, *, private: bool = False) -> str | None:
    problem = problem_of_server(config, secrets, private_hosts=private)
    return problem.field if problem is not None else None


@pytest.mark.parametrize("config", [REMOTE, PROGRAM, SIGNED, replace(REMOTE, owner_id=OWNER)])
def test_a_usual_server_is_taken(config: McpConfig) -> None:
    assert field_of(config) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/mcp",
        "https://10.0.0.1/mcp",
        "https://169.254.169.254/latest",
        "https://[::1]/mcp",
        "https://[::ffff:127.0.0.1]/mcp",
        "https://127.1/mcp",
        "https://2130706433/mcp",
        "https://localhost/mcp",
        "https://desk/mcp",
        "https://desk.local/mcp",
        "https://metadata.google.internal/mcp",
    ],
)
def test_users_name_no_private_address_and_administrators_may(url: str) -> None:
    assert field_of(replace(REMOTE, owner_id=OWNER, url=url)) == "url"
    assert field_of(replace(REMOTE, url=url)) is None
    assert field_of(replace(REMOTE, owner_id=OWNER, url=url), private=True) is None


def test_an_address_on_the_internet_needs_tls() -> None:
    assert field_of(replace(REMOTE, url="http://desk.example/mcp"), private=True) == "url"


@pytest.mark.parametrize("name", ["auth_url", "token_url", "revocation_url"])
def test_users_sign_in_at_no_private_address(name: str) -> None:
    oauth = replace(CLIENT, **{name: "https://10.0.0.1/x"})

    assert field_of(replace(SIGNED, owner_id=OWNER, oauth=oauth)) == f"oauth2_{name}"


@pytest.mark.parametrize(
    ("field", "config"),
    [
        ("url", replace(REMOTE, url=None)),
        ("command", replace(REMOTE, command=("ls",))),
        ("transport", replace(PROGRAM, owner_id=OWNER)),
        ("url", replace(PROGRAM, url="https://desk.example")),
        ("auth_type", replace(PROGRAM, auth_type=AuthType.API_KEY)),
        ("command", replace(PROGRAM, command=())),
        ("availability", replace(REMOTE, owner_id=OWNER, availability=Availability.FORCE_ON)),
        ("api_key_value", replace(REMOTE, auth_type=AuthType.API_KEY)),
        ("custom_headers", replace(REMOTE, auth_type=AuthType.CUSTOM_HEADERS)),
        ("oauth2_client_id", replace(SIGNED, oauth=OAuth(client_id="only"))),
    ],
)
def test_what_does_not_go_together_is_refused(field: str, config: McpConfig) -> None:
    assert field_of(config) == field


def test_a_client_secret_needs_its_client() -> None:
    assert field_of(replace(SIGNED, oauth=OAuth()), McpSecrets(client_secret="s")) == "oauth2_client_secret"
