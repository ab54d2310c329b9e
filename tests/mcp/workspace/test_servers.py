from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.mcp.workspace.declaration import FILE
from chatd.storage.database import Database
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.mcp.running import HOSTILE, Children, program
from tests.mcp.workspace.place import NO_WORKSPACE, Place, a_place


@pytest.fixture(params=[SandboxMode.REQUIRE, SandboxMode.OFF], ids=["sandbox", "limits"])
async def site(request: pytest.FixtureRequest, tmp_path: Path, db: Database) -> AsyncIterator[Place]:
    async with a_place(tmp_path, db, request.param) as made:
        yield made


async def call(site: Place, tool: str, **args: Json) -> CallResult:
    toolbox = await toolbox_of(site)
    return await call_in(toolbox, tool, **args)


async def toolbox_of(site: Place) -> Toolbox:
    tools = await site.tools()
    return Toolbox([each.tool for each in tools.offered], missing=tools.missing)


async def call_in(toolbox: Toolbox, tool: str, **args: Json) -> CallResult:
    setting = Setting(chat_id=ChatId("chat"), call_id=CallId("call"), show=print)
    return (await run_call(toolbox, tool, args, setting)).result


async def test_a_trusted_program_of_the_workspace_offers_its_tools(site: Place) -> None:
    await site.trust(site.declare_program())

    assert await site.names() == ["local__do"]
    assert (await call(site, "local__do")).result == {"output": "done"}


async def test_a_program_is_not_started_before_its_file_is_trusted(site: Place) -> None:
    children = Children()
    site.declare_program()

    refused = await call(site, "local__do")

    assert await site.names() == []
    assert not children()
    assert "has not trusted yet" in refused.result["error"]


async def test_a_changed_file_is_trusted_no_more_even_within_a_turn(site: Place) -> None:
    await site.trust(site.declare_program())
    toolbox = await toolbox_of(site)
    assert (await call_in(toolbox, "local__do")).result == {"output": "done"}

    site.declare_program("many_tools")

    assert "cannot be used any more" in (await call_in(toolbox, "local__do")).result["error"]
    assert await site.names() == []


async def test_trust_that_is_withdrawn_counts_at_once(site: Place) -> None:
    await site.trust(site.declare_program())
    toolbox = await toolbox_of(site)

    await site.chat_servers.workspace_servers.trust.withdraw(site.chat.owner_id, str(site.root))

    assert (await call_in(toolbox, "local__do")).is_error


async def test_servers_of_the_administrator_keep_their_names_even_if_they_are_down(site: Place) -> None:
    site.servers = [program("-c", "raise SystemExit(1)", id="m-9", slug="local")]
    await site.trust(site.declare_program())

    assert await site.names() == ["local_2__do"]


async def test_servers_of_the_administrator_come_first(site: Place) -> None:
    site.servers = [program("-I", HOSTILE, "good", id="m-9", slug="zebra")]
    await site.trust(site.declare_program())

    assert await site.names() == ["zebra__do", "local__do"]


async def test_a_chat_without_a_workspace_has_none_of_its_servers(site: Place) -> None:
    await site.trust(site.declare_program())

    assert (await site.tools(NO_WORKSPACE)).offered == ()


async def test_variables_are_those_of_the_workspace_and_not_of_the_server(
    site: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")
    await site.trust(site.declare_program("tells_secret", env={"KEY": "${OPENAI_API_KEY}"}))

    refused = await call(site, "local__do")

    assert "OPENAI_API_KEY is not set in the workspace" in refused.result["error"]


async def test_an_address_in_a_private_network_is_not_called(site: Place) -> None:
    await site.trust(site.declare(local={"url": "http://127.0.0.1:9/mcp"}))

    refused = await call(site, "local__do")

    assert "private network" in refused.result["error"]


@pytest.mark.parametrize("content", [b"not json", b" " * 100_000])
async def test_a_file_that_cannot_be_read_stops_no_chat(site: Place, content: bytes) -> None:
    (site.root / FILE).write_bytes(content)

    declared = await site.chat_servers.workspace_servers.declared(site.chat.owner_id, site.workspace)

    assert await site.names() == []
    assert declared.problem is not None


async def test_a_link_out_of_the_workspace_is_not_followed(site: Place, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text('{"mcpServers": {"x": {"command": "x"}}}')
    (site.root / FILE).symlink_to(tmp_path / "outside")

    declared = await site.chat_servers.workspace_servers.declared(site.chat.owner_id, site.workspace)

    assert declared.declaration is None
    assert declared.problem is not None


async def test_a_program_in_a_sandbox_sees_nothing_of_the_server(tmp_path: Path, db: Database) -> None:
    async with a_place(tmp_path, db, SandboxMode.REQUIRE) as site:
        (tmp_path / "data" / "admin-token").write_text("secret-of-the-server")
        spy = "import sys; sys.exit(open(sys.argv[1]).read())"
        token = str(tmp_path / "data" / "admin-token")
        (site.root / "spy.py").write_text(spy)
        await site.trust(site.declare(local={"command": "python3", "args": ["spy.py", token]}))

        refused = await call(site, "local__do")

    assert "No such file" in refused.result["error"]
    assert "secret-of-the-server" not in str(refused.result)
