"""Stories of chats with tools of MCP servers: a real server, real MCP servers, and the scripted model."""

import asyncio
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chatd.client.answers import McpConnection
from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import PATIENCE_SECONDS, is_idle, served, until
from tests.journeys.workspace.working import both_ways, environment, results, working
from tests.mcp.running import HOSTILE, SAMPLE, Way, running

ASKING_NOBODY: Mapping[str, str] = {"CHATD_APPROVALS": "never"}


async def add_program(client: AsyncClient, slug: str, *arguments: str, **more: Any) -> None:
    await client.add_mcp_server(
        slug, scope="deployment", transport="stdio", command=[sys.executable, *arguments], **more
    )


async def test_an_agent_calls_the_tools_of_a_published_server_over_each_transport(tmp_path: Path) -> None:
    script = """\
call @stdio stdio__convert_time {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
call @http http__convert_time {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
call @sse sse__convert_time {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
next
say Done.
"""
    async with (
        running(Way.STREAMABLE_HTTP, "time") as http,
        running(Way.SSE, "time") as sse,
        served(tmp_path, env=ASKING_NOBODY) as server,
        server.client() as client,
    ):
        await add_program(client, "stdio", "-m", "mcp_server_time", "--local-timezone", "UTC")
        for slug, remote in (("http", http), ("sse", sse)):
            await client.add_mcp_server(
                slug, scope="deployment", transport=remote.transport.value, url=remote.url
            )

        chat = await client.create_chat(script)
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

    assert {call: result["time_difference"] for call, result in told.items()} == {
        "stdio": "+9.0h",
        "http": "+9.0h",
        "sse": "+9.0h",
    }


async def test_a_call_tells_which_server_it_is_for(tmp_path: Path) -> None:
    async with served(tmp_path, env=ASKING_NOBODY) as server, server.client() as client:
        await add_program(client, "local", "-I", HOSTILE, "good")
        await add_program(client, "broken", "-c", "raise SystemExit(3)")
        added, broken = sorted(await client.mcp_servers(), key=lambda each: each.slug, reverse=True)
        assert added.connection == broken.connection == McpConnection()
        chat = await client.create_chat('call local__do\ncall echo {"text": "x"}\nnext\nsay Done.')
        await until(client, chat.id, is_idle)
        calls = {
            part.tool_name: part.mcp_server_config_id
            async for message in client.history(chat.id)
            for part in message.content
            if part.type == "tool-call"
        }
        answers = {
            part.tool_name: part.mcp_server_config_id
            async for message in client.history(chat.id)
            for part in message.content
            if part.type == "tool-result"
        }

        broken, added = sorted(await client.mcp_servers(), key=lambda each: each.slug)

    assert calls == answers == {"local__do": added.id, "echo": None}
    assert added.connection == McpConnection(connected=True, tools=1)
    assert broken.connection is not None
    assert broken.connection.problem


async def test_a_call_that_must_not_run_twice_does_not_after_a_kill(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    async with served(tmp_path, env=ASKING_NOBODY) as server, server.client() as client:
        await add_program(client, "sample", SAMPLE, "stdio")
        arguments = json.dumps({"path": str(marks)})
        chat = await client.create_chat(f"call @once sample__marks_and_hangs {arguments}\nnext\nsay Done.")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not marks.exists():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0)

        await server.kill()
        await server.start()
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

    assert "outcome is unknown" in told["once"]["error"]
    assert marks.read_text() == "called\n"


async def test_a_server_that_is_down_takes_its_own_tools_away_and_the_agent_is_told_why(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, env=ASKING_NOBODY) as server, server.client() as client:
        await add_program(client, "down", "-c", "raise SystemExit('no licence')")
        chat = await client.create_chat("call @lost down__anything\nnext\nsay Done.")
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

    assert "The MCP server down cannot be used now." in told["lost"]["error"]
    assert "no licence" in told["lost"]["error"]


async def test_of_hundreds_of_tools_an_agent_finds_the_one_it_needs(tmp_path: Path) -> None:
    script = """\
call @early many__tool00041
call @found find_tools {"queries": ["tool00042"]}
next
call @called many__tool00042
next
say Done.
"""
    async with served(tmp_path, env=ASKING_NOBODY) as server, server.client() as client:
        await add_program(client, "many", "-I", HOSTILE, "many_tools")
        chat = await client.create_chat(script)
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

    assert told["early"] == {"output": "done"}
    assert told["found"]["activated"] == ["many__tool00042"]
    assert told["found"]["total_deferred"] == 500
    assert told["called"] == {"output": "done"}


@both_ways
async def test_a_server_of_the_workspace_is_used_once_its_owner_trusts_it(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (_, client, root):
        shutil.copy(HOSTILE, root / "server.py")
        program = {"command": "python3", "args": ["server.py", "good"]}
        (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"local": program}}))
        chat = await client.create_chat("call @before local__do\nnext\nsay Done.")
        await until(client, chat.id, is_idle)

        seen = await client.workspace_mcp_servers()
        assert seen.digest is not None
        await client.trust_workspace_mcp_servers(seen.digest)
        await client.send(chat.id, "call @after local__do\nnext\nsay Done.")
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

    assert [server.status for server in seen.servers] == ["waiting_for_trust"]
    assert "has not trusted yet" in told["before"]["error"]
    assert told["after"] == {"output": "done"}


async def test_without_a_rule_a_person_is_asked_before_a_tool_of_a_server_runs(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        await add_program(client, "local", "-I", HOSTILE, "good")
        chat = await client.create_chat("call @asked local__do\nnext\nsay Done.")
        waiting = await until(client, chat.id, lambda seen: seen.status == "requires_action")

        assert waiting.waiting_for is not None
        assert await results(client, chat.id) == {}
