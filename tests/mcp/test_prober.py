"""Trying real servers out."""

import pytest
from msgspec.structs import replace

from chatd.catalog.mcp.config import AuthType, McpConfig, OAuth
from chatd.catalog.mcp.server import McpServer
from chatd.domain.ids import UserId
from chatd.kit.clock import SystemClock
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.prober import ServerProber
from tests.mcp.running import USER, Way, program, running


def prober(server: McpServer | None) -> ServerProber:
    async def server_of(_: UserId, __: McpConfig) -> McpServer | None:
        return server

    return ServerProber(server_of, wire_sessions(), SystemClock())


def config_of(server: McpServer) -> McpConfig:
    return McpConfig(id=server.id, slug=server.slug, transport=server.transport)


@pytest.mark.parametrize("way", [Way.STDIO, Way.STREAMABLE_HTTP, Way.SSE])
async def test_a_server_that_others_published_tells_its_tools(way: Way) -> None:
    async with running(way, "time") as server:
        probe = await prober(server).probe(config_of(server), USER)

    assert (probe.slug, probe.is_well, probe.says) == ("time", True, "It has 2 tools.")
    assert [(tool.name, tool.offered) for tool in probe.tools] == [
        ("convert_time", True),
        ("get_current_time", True),
    ]
    assert "time" in probe.tools[0].description.lower()


async def test_tools_that_are_left_out_by_the_lists_are_told_apart() -> None:
    async with running(Way.STDIO, "time") as server:
        choosy = replace(server, deny=("convert_time",))
        probe = await prober(choosy).probe(config_of(choosy), USER)

    assert probe.says == "It has 2 tools; offered: 1."
    assert [tool.name for tool in probe.tools if tool.offered] == ["get_current_time"]


async def test_what_stands_in_the_way_is_the_answer() -> None:
    server = program("-c", "import sys; sys.exit('no luck')")

    probe = await prober(server).probe(config_of(server), USER)

    assert (probe.is_well, probe.tools) == (False, ())
    assert "no luck" in probe.says


async def test_a_server_where_the_user_has_to_sign_in_first_is_not_called() -> None:
    config = McpConfig(
        id="s", slug="tracker", transport=program().transport, auth_type=AuthType.OAUTH2, oauth=OAuth()
    )

    probe = await prober(None).probe(config, USER)

    assert probe.says == "You have not signed in there. Do so with `chatd mcp connect tracker`."
