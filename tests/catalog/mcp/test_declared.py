"""MCP servers in chatd.toml."""

from pathlib import Path
from typing import Any

import pytest

from chatd.catalog.mcp.config import AuthType
from chatd.catalog.mcp.declared import McpServerDeclaration, declare_servers
from chatd.catalog.mcp.server import Transport
from chatd.errors import Misconfigured
from chatd.settings import load

URL = "https://desk.example/mcp"
CLIENT = {
    "auth_type": AuthType.OAUTH2,
    "oauth2_client_id": "c",
    "oauth2_auth_url": "https://a.example",
    "oauth2_token_url": "https://t.example",
}


def declaration(**fields: Any) -> McpServerDeclaration:
    return McpServerDeclaration(**{"slug": "desk", "url": URL} | fields)


def program(**fields: Any) -> McpServerDeclaration:
    return McpServerDeclaration(**{"slug": "tools", "command": ("npx", "server")} | fields)


async def test_a_file_declares_servers_of_both_kinds(tmp_path: Path) -> None:
    file = tmp_path / "chatd.toml"
    file.write_text(
        """
        [[mcp_servers]]
        slug = "desk"
        url = "https://desk.example/mcp"
        auth_type = "api_key"
        api_key_env = "DESK_KEY"
        tool_deny_list = ["delete"]

        [[mcp_servers]]
        slug = "tools"
        command = ["npx", "server"]
        env = { MODE = "fast" }
        env_from = ["TOOLS_KEY", "MISSING"]
        availability = "force_on"
        """
    )
    settings = load(flags={"config": str(file)}, environment={}, directory=tmp_path)

    declared = declare_servers(settings.mcp_servers, {"DESK_KEY": "key-1", "TOOLS_KEY": "key-2"})

    desk, tools = declared.servers
    assert (desk.transport, desk.url, desk.deny, desk.declared) == (
        Transport.STREAMABLE_HTTP,
        "https://desk.example/mcp",
        ("delete",),
        True,
    )
    assert (await declared.secrets_of(desk.id)).api_key == "key-1"
    assert (tools.transport, tools.command, tools.env_names) == (
        Transport.STDIO,
        ("npx", "server"),
        ("MODE", "TOOLS_KEY"),
    )
    assert (await declared.secrets_of(tools.id)).env == {"MODE": "fast", "TOOLS_KEY": "key-2"}
    assert "key-1" not in repr(settings)


async def test_a_key_in_a_file_is_read_when_it_is_used(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("first\n")
    (server,) = (
        declared := declare_servers([declaration(auth_type=AuthType.API_KEY, api_key_file=str(file))], {})
    ).servers

    before = await declared.secrets_of(server.id)
    file.write_text("second\n")

    assert (before.api_key, (await declared.secrets_of(server.id)).api_key) == ("first", "second")


def test_ids_are_the_same_on_every_server_and_change_with_what_is_called() -> None:
    one, again, moved = (
        declare_servers([declaration(url=url)], {}).servers[0].id
        for url in (URL, URL, "https://other.example")
    )

    assert one == again != moved


def test_a_client_that_changes_makes_users_sign_in_again() -> None:
    versions = {
        declare_servers([declaration(**CLIENT | {"oauth2_client_id": client})], {}).servers[0].version
        for client in ("a", "a", "b")
    }

    assert len(versions) == 2


@pytest.mark.parametrize(
    ("declarations", "said"),
    [
        ([declaration(), declaration()], "the same slug"),
        ([declaration(slug="a__b")], "A slug has"),
        ([declaration(url="desk")], "must be an address"),
        ([declaration(command=("ls",))], "has a command, and no url"),
        ([declaration(auth_type=AuthType.API_KEY)], "needs an api_key_value"),
        ([declaration(api_key="k")], "goes with the auth_type `api_key`"),
        ([declaration(auth_type=AuthType.API_KEY, api_key="k", api_key_env="K")], "more than one of api_key"),
        ([declaration(auth_type=AuthType.OAUTH2)], "`chatd mcp add` asks"),
        ([program(env={"A=B": "c"})], "name of a variable"),
    ],
)
def test_what_is_wrong_is_said_with_its_table(declarations: list[McpServerDeclaration], said: str) -> None:
    with pytest.raises(Misconfigured, match=said):
        declare_servers(declarations, {})
