"""chatd mcp, as processes against a real server."""

import asyncio
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from chatd.accounts.groups import create_group
from chatd.client import AsyncClient
from chatd.client.answers import McpServer
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.cli.caller import ran, typing
from tests.cli.program import chatd, serving
from tests.support.served import Served, served

URL = "https://desk.example/mcp"
SHARED = ("--scope", "deployment")


async def servers(server: Served) -> tuple[McpServer, ...]:
    async with AsyncClient(server.address, server.token) as client:
        return await client.mcp_servers()


async def test_a_server_is_added_with_a_key_listed_shown_and_removed(store: Store, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("key-0123456789\n")
    async with served(store) as anyone:
        server = await anyone.as_admin()
        command = ("mcp", "add", "desk", URL, *SHARED, "--key-file", "key", "--deny", "delete")
        added = await ran(tmp_path, server, *command)
        listed = await ran(tmp_path, server, "mcp", "ls")
        shown = await ran(tmp_path, server, "mcp", "show", "desk")
        told = await ran(tmp_path, server, "mcp", "ls", "--json")
        removed = await ran(tmp_path, server, "mcp", "rm", "desk")
        left = await servers(server)

    assert (added.code, added.output) == (0, "desk is there, for all users. Try it: chatd mcp test desk\n"), (
        added.errors
    )
    assert listed.output.splitlines()[1].split() == [
        "desk",
        "all",
        "users",
        "streamable_http",
        "api_key",
        "-",
    ]
    assert "tool_deny_list         delete" in shown.output
    assert json.loads(told.output)["mcp_servers"][0]["has_api_key"] is True
    assert "key-0123" not in added.output + listed.output + shown.output + told.output
    assert (removed.code, left) == (0, ())


async def test_a_program_is_added_for_all_users_with_its_variables(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        command = ("mcp", "add", "time", "--env", "TZ=UTC", "--", "uvx", "mcp-server-time", "--local")
        added = await ran(tmp_path, server, *command)
        (found,) = await servers(server)

    assert added.code == 0, added.errors
    assert (found.scope, found.transport) == ("deployment", "stdio")
    assert (found.command, found.env_names) == (("uvx", "mcp-server-time", "--local"), ("TZ",))


async def test_a_server_is_given_to_groups_and_to_everyone_again(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        for group in ("Research", "Legal"):
            await create_group(store.db, group)
        added = await ran(tmp_path, server, "mcp", "add", "desk", URL, "--group", "research")
        listed = await ran(tmp_path, server, "mcp", "ls")
        more = await ran(tmp_path, server, "mcp", "give", "desk", "--group", "Legal", "--group", "Research")
        shown = await ran(tmp_path, server, "mcp", "show", "desk")
        unknown = await ran(tmp_path, server, "mcp", "give", "desk", "--group", "nowhere")
        unclear = await ran(tmp_path, server, "mcp", "give", "desk")
        everyone = await ran(tmp_path, server, "mcp", "give", "desk", "--everyone")

    assert added.output.startswith("desk is there, for Research."), added.errors
    assert listed.output.splitlines()[1].split()[:2] == ["desk", "Research"]
    assert "not for you" in listed.output
    assert more.output == "desk is for Legal, Research. Chats that have it keep it.\n", more.errors
    assert "groups                 Legal Research" in shown.output
    assert (unknown.code, "'nowhere'" in unknown.errors) == (1, True)
    assert (unclear.code, "--everyone" in unclear.errors) == (2, True)
    assert everyone.output == "desk is for all users. Chats that have it keep it.\n"


@pytest.mark.parametrize("mistyped", ["desk.example/mcp", "htps://desk.example/mcp", "ftp://desk.example"])
async def test_a_mistyped_address_is_no_program_for_all_users(
    store: Store, tmp_path: Path, mistyped: str
) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        added = await ran(tmp_path, server, "mcp", "add", "desk", mistyped)
        left = await servers(server)

    assert (added.code, left) == (2, ())
    assert f"chatd mcp add desk -- {mistyped}" in added.errors


async def test_a_member_is_told_who_may_add_a_program(store: Store, tmp_path: Path) -> None:
    async with served(store) as member:
        added = await ran(tmp_path, member, "mcp", "add", "time", "--", "uvx", "mcp-server-time")

    assert added.code == 1
    assert "Only administrators" in added.errors


async def test_a_member_is_told_that_an_address_is_private(store: Store, tmp_path: Path) -> None:
    async with served(store) as member:
        added = await ran(tmp_path, member, "mcp", "add", "desk", "https://127.0.0.1/mcp")

    assert added.code == 1
    assert "private network" in added.errors


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--key-env", "NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
        (("--header-env", "X-Key"), "NAME=VARIABLE"),
        (("--oauth", "--key-file", "key"), "Say one of"),
    ],
)
async def test_what_cannot_be_sent_is_noticed_here(
    store: Store, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    async with served(store) as server:
        run = await ran(tmp_path, server, "mcp", "add", "desk", URL, *arguments)

    assert (run.code, said in run.errors) == (2, True), run.errors


async def test_a_server_that_does_not_exist_is_answered_with_those_that_do(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        none = await ran(tmp_path, server, "mcp", "show", "desk")
        await ran(tmp_path, server, "mcp", "add", "other", URL, *SHARED)
        some = await ran(tmp_path, server, "mcp", "rm", "desk")

    assert "`chatd mcp add` adds one" in none.errors
    assert "These are there: other." in some.errors


async def test_a_user_signs_in_with_a_browser_and_disconnects(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone, SignInServer() as there:
        server = await anyone.as_admin()
        added = await ran(tmp_path, server, "mcp", "add", "tracker", there.url, *SHARED, "--oauth")
        listed = await ran(tmp_path, server, "mcp", "ls")
        begun = await ran(tmp_path, server, "mcp", "connect", "tracker")
        address = next(line.strip() for line in begun.output.splitlines() if "/authorize?" in line)
        code = await code_in_browser(server.address, await there.visit(address))
        finished = await ran(tmp_path, server, "mcp", "connect", "tracker", "--code", code)
        (connected,) = await servers(server)
        left = await ran(tmp_path, server, "mcp", "disconnect", "tracker")
        (disconnected,) = await servers(server)

    assert "chatd mcp connect tracker" in added.output
    assert "not connected" in listed.output
    assert "--code CODE" in begun.errors
    assert (finished.code, connected.auth_connected) == (0, True), finished.errors
    assert (left.code, left.errors, disconnected.auth_connected) == (0, "", False)


async def test_a_mistyped_code_is_asked_for_again(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone, SignInServer() as there:
        server = await anyone.as_admin()
        await ran(tmp_path, server, "mcp", "add", "tracker", there.url, *SHARED, "--oauth")
        async with typing(tmp_path, server, "mcp", "connect", "tracker", columns=1000) as person:
            shown = await person.sees("The code that the browser shows then")
            person.type("too early\r")
            await person.sees("You have not come back from the sign-in yet.")
            address = next(line.strip() for line in shown.splitlines() if "/authorize?" in line)
            code = await code_in_browser(server.address, await there.visit(address))
            person.type("WRNG-CODE\r")
            await person.sees("This is not the code.")
            person.type(f"{code}\r")
            await person.sees("tracker is connected.")
            assert await person.leaves() == 0


async def code_in_browser(server: str, sent_back_to: str) -> str:
    """The browser is sent to the server under its public address, which is another one in this test."""
    back = urlsplit(sent_back_to)
    async with aiohttp.ClientSession() as browser, browser.get(f"{server}{back.path}?{back.query}") as page:
        assert page.status == 200, await page.text()
        return (await page.text()).splitlines()[2].strip()


async def test_a_server_is_tried_out_and_its_tools_are_listed(tmp_path: Path) -> None:
    there = ("--data-dir", str(tmp_path / "data"))
    good = ("time", "--deny", "convert_time", "--", sys.executable, "-m", "mcp_server_time")
    bad = ("bad", "--", sys.executable, "-c", "raise SystemExit('no luck')")
    absent = ("absent", "--", "no-such-program-anywhere")
    async with serving(tmp_path):
        for program in (good, bad, absent):
            added = await asyncio.to_thread(chatd, tmp_path, "mcp", "add", *there, *program)
            assert added.returncode == 0, added.stderr
        well = await asyncio.to_thread(chatd, tmp_path, "mcp", "test", *there, "time")
        wrong = await asyncio.to_thread(chatd, tmp_path, "mcp", "test", *there, "bad")
        gone = await asyncio.to_thread(chatd, tmp_path, "mcp", "test", *there, "absent")
        shown = await asyncio.to_thread(chatd, tmp_path, "mcp", "show", *there, "absent")

    assert well.returncode == 0, well.stdout + well.stderr
    assert well.stdout.startswith("ok     time  It has 2 tools; offered: 1.")
    assert "  convert_time (not offered)  " in well.stdout
    assert (wrong.returncode, "no luck" in wrong.stdout) == (1, True), wrong.stdout
    assert "there is no `no-such-program-anywhere`. Install it on the server's machine" in gone.stdout
    assert "connection             -\n" in shown.stdout, shown.stdout
