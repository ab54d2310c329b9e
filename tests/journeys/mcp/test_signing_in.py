"""Stories of users who sign in at MCP servers: a real server, a real authorization server, and a browser."""

from pathlib import Path

import aiohttp

from chatd.client.answers import McpServer
from chatd.client.asynchronous import AsyncClient
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.journeys.mcp.test_mcp import ASKING_NOBODY
from tests.journeys.server import is_idle, served, until
from tests.journeys.workspace.working import results


async def sign_in(client: AsyncClient, there: SignInServer, server: McpServer) -> McpServer:
    """A person opens the address, agrees, and repeats the code that their browser shows."""
    begun = await client.connect_mcp_server(server.id)
    back = await there.visit(begun.authorization_url)
    async with aiohttp.ClientSession() as browser, browser.get(back) as page:
        assert page.status == 200, await page.text()
        code = (await page.text()).splitlines()[2].strip()
    return await client.finish_mcp_sign_in(server.id, code)


async def greeting(client: AsyncClient, chat_id: str, call: str) -> object:
    await client.send(chat_id, f"call @{call} tracker__greet\nnext\nsay Done.")
    await until(client, chat_id, is_idle)
    return (await results(client, chat_id))[call]


async def test_an_agent_acts_in_the_name_of_a_user_who_has_signed_in_until_they_disconnect(
    tmp_path: Path,
) -> None:
    async with (
        SignInServer(secret="of-the-client") as there,
        served(tmp_path, env=ASKING_NOBODY) as server,
        server.client() as client,
    ):
        # Each token ends before the next turn, so that each turn needs a new one.
        there.expires_in = 1
        tracker = await client.add_mcp_server(
            "tracker", scope="deployment", url=there.url, auth_type="oauth2"
        )
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)
        before = await client.test_mcp_server(tracker.id)
        connected = await sign_in(client, there, tracker)
        probe = await client.test_mcp_server(tracker.id)
        first = await greeting(client, chat.id, "first")
        await server.kill()
        await server.start()
        second = await greeting(client, chat.id, "second")
        disconnected = await client.disconnect_mcp_server(tracker.id)
        third = await greeting(client, chat.id, "third")

    assert "chatd mcp connect tracker" in before.says
    assert (tracker.auth_connected, connected.auth_connected) == (False, True)
    assert (probe.is_well, [tool.name for tool in probe.tools]) == (True, ["greet"])
    assert [first, second] == [{"output": "hello"}] * 2
    assert disconnected.token_revoked
    assert isinstance(third, dict)
    assert "error" in third
    assert len({asked.headers["authorization"] for asked in there.asked_at("/mcp")[1:]}) > 2


async def test_a_declared_server_is_there_after_every_start_and_cannot_be_changed_elsewhere(
    tmp_path: Path,
) -> None:
    file = tmp_path / "chatd.toml"
    async with SignInServer() as there:
        file.write_text(
            f"""
            [[mcp_servers]]
            slug = "tracker"
            url = "{there.url}"
            auth_type = "oauth2"
            oauth2_client_id = "mine"
            oauth2_auth_url = "{there.origin}/authorize"
            oauth2_token_url = "{there.origin}/token"
            """
        )
        async with (
            served(tmp_path, flags=("--config", str(file)), env=ASKING_NOBODY) as server,
            server.client() as client,
        ):
            (tracker,) = await client.mcp_servers()
            await sign_in(client, there, tracker)
            await server.kill()
            await server.start()
            (again,) = await client.mcp_servers()
            chat = await client.create_chat("say Hello.")
            await until(client, chat.id, is_idle)
            greeted = await greeting(client, chat.id, "greeted")

    assert tracker.declared
    assert (again.id, again.auth_connected) == (tracker.id, True)
    assert greeted == {"output": "hello"}
