"""What a change makes of a server, and what goes with what it was."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from chatd.catalog.mcp.config import (
    NO_SECRETS,
    AuthType,
    Availability,
    McpConfig,
    McpSecrets,
    OAuth,
)
from chatd.catalog.mcp.edit import ServerEdit, edited
from chatd.catalog.mcp.server import Transport
from chatd.errors import BadInput
from tests.traceability import proves

BLANK = McpConfig(id="s1", slug="desk", transport=Transport.STREAMABLE_HTTP)
URL = "https://desk.example/mcp"
KEYED = edited(BLANK, NO_SECRETS, ServerEdit(url=URL, auth_type=AuthType.API_KEY, api_key_value="key-1"))
CLIENT = ServerEdit(
    url=URL,
    auth_type=AuthType.OAUTH2,
    oauth2_client_id="chatd",
    oauth2_client_secret="client-1",
    oauth2_auth_url="https://sign.example/authorize",
    oauth2_token_url="https://sign.example/token",
)
SIGNED = edited(BLANK, NO_SECRETS, CLIENT)
FOUND = OAuth(
    client_id="found",
    auth_url="https://sign.example/authorize",
    token_url="https://sign.example/token",
    revocation_url="https://sign.example/revoke",
    scopes="read",
    discovered=("client_id", "auth_url", "token_url", "revocation_url", "scopes"),
    issuer="https://sign.example",
    resource=URL,
)
DISCOVERED = replace(SIGNED[0], oauth=FOUND)


def test_what_is_not_named_stays() -> None:
    config, secrets = edited(
        *KEYED, ServerEdit(availability=Availability.FORCE_ON, tool_allow_list=("read",))
    )

    assert config == replace(KEYED[0], availability=Availability.FORCE_ON, allow=("read",))
    assert secrets == KEYED[1]


@proves("mcp-skills-hooks", 7)
@pytest.mark.parametrize("mode", sorted(set(AuthType) - {AuthType.API_KEY}))
def test_a_key_does_not_outlive_its_way_to_sign_in(mode: AuthType) -> None:
    config, secrets = edited(*KEYED, ServerEdit(auth_type=mode))

    assert (config.has_api_key, secrets) == (False, NO_SECRETS)


@proves("mcp-skills-hooks", 7)
def test_nothing_of_a_client_outlives_its_way_to_sign_in() -> None:
    config, secrets = edited(*SIGNED, ServerEdit(auth_type=AuthType.NONE))

    assert (config.oauth, config.has_client_secret, secrets) == (None, False, NO_SECRETS)


@pytest.mark.parametrize(
    ("field", "value"),
    [("api_key_value", "k"), ("custom_headers", {"X-Key": "k"}), ("oauth2_client_id", "chatd")],
)
def test_a_field_of_another_way_to_sign_in_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadInput) as refused:
        edited(BLANK, NO_SECRETS, ServerEdit(url=URL, **{field: value}))  # type: ignore[arg-type]

    assert refused.value.field == field


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_secret_removes_it(empty: str | None) -> None:
    config, secrets = edited(*SIGNED, ServerEdit(oauth2_client_secret=empty))

    assert (config.has_client_secret, secrets) == (False, NO_SECRETS)


@pytest.mark.parametrize(
    ("before", "edit", "field"),
    [
        (KEYED, ServerEdit(url="https://other.example/mcp"), "api_key_value"),
        (KEYED, ServerEdit(url="http://desk.example/mcp"), "api_key_value"),
        (SIGNED, ServerEdit(oauth2_token_url="https://other.example/token"), "oauth2_client_secret"),
    ],
)
def test_a_stored_secret_is_not_sent_to_another_address(
    before: tuple[McpConfig, McpSecrets], edit: ServerEdit, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        edited(*before, edit)

    assert (refused.value.code, refused.value.field) == ("secret_needed", field)


def test_a_secret_that_is_given_with_the_new_address_is_sent_there() -> None:
    _, secrets = edited(*KEYED, ServerEdit(url="https://other.example/mcp", api_key_value="key-2"))

    assert secrets.api_key == "key-2"


def test_another_path_of_the_same_server_keeps_the_secret() -> None:
    _, secrets = edited(*KEYED, ServerEdit(url="https://desk.example/v2/mcp"))

    assert secrets.api_key == "key-1"


@proves("mcp-skills-hooks", 8)
@pytest.mark.parametrize(
    "edit",
    [
        ServerEdit(url="https://desk.example/v2"),
        ServerEdit(auth_type=AuthType.NONE),
        ServerEdit(oauth2_token_url="https://sign.example/token2"),
        ServerEdit(oauth2_auth_url="https://sign.example/authorize2"),
        ServerEdit(oauth2_revocation_url="https://sign.example/revoke"),
        ServerEdit(oauth2_client_id="other"),
    ],
)
def test_users_sign_in_again_when_it_is_for_something_else(edit: ServerEdit) -> None:
    assert edited(*SIGNED, edit)[0].version == SIGNED[0].version + 1


@pytest.mark.parametrize(
    "edit",
    [
        ServerEdit(display_name="Desk"),
        ServerEdit(enabled=False),
        ServerEdit(oauth2_scopes="read write"),
        ServerEdit(oauth2_client_secret="client-2"),
    ],
)
def test_other_changes_keep_the_sign_ins(edit: ServerEdit) -> None:
    assert edited(*SIGNED, edit)[0].version == SIGNED[0].version


def test_a_secret_goes_with_the_client_whose_it_is() -> None:
    _, secrets = edited(*SIGNED, ServerEdit(oauth2_client_id="other"))

    assert secrets.client_secret is None


def test_what_another_server_told_is_asked_for_again() -> None:
    config, _ = edited(DISCOVERED, NO_SECRETS, ServerEdit(url="https://other.example/mcp"))

    assert config.oauth == OAuth()


def test_what_was_given_is_kept_when_the_address_changes() -> None:
    oauth = replace(FOUND, discovered=("client_id", "auth_url", "token_url"))
    given = replace(DISCOVERED, oauth=oauth)

    config, _ = edited(given, NO_SECRETS, ServerEdit(url="https://other.example/mcp"))

    assert config.oauth == OAuth(revocation_url="https://sign.example/revoke", scopes="read")


def test_a_client_of_the_callers_own_replaces_all_that_was_discovered() -> None:
    config, _ = edited(DISCOVERED, NO_SECRETS, ServerEdit(oauth2_client_id="mine"))

    assert config.oauth == OAuth(client_id="mine")


def test_without_a_client_of_ones_own_the_server_is_asked_again() -> None:
    edit = ServerEdit(oauth2_client_id=None, oauth2_auth_url=None, oauth2_token_url="", url=UNSET)
    config, secrets = edited(*SIGNED, edit)

    assert config.oauth is not None
    assert (config.oauth.is_complete, secrets) == (False, NO_SECRETS)
