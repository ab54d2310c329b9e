import json
from pathlib import Path
from typing import Any

import aiohttp

from tests.cli.program import Running, chatd, complaint, serving


async def exchanged(server: Running, link: str) -> tuple[int, Any]:
    """What a browser without a token gets for the link."""
    address, _, code = link.partition("/sign-in#")
    assert address == server.address
    async with (
        aiohttp.ClientSession() as browser,
        browser.post(f"{address}/api/v1/auth/exchange", json={"code": code}) as answer,
    ):
        return answer.status, await answer.json()


async def test_a_link_from_the_data_directory_signs_in_at_the_running_server_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        link = chatd(tmp_path, "link", "--data-dir", "data").stdout.strip()

        status, account = await exchanged(server, link)
        assert (status, account["name"], account["role"]) == (200, "admin", "admin")
        assert (await exchanged(server, link))[0] == 401

        another = json.loads(chatd(tmp_path, "link", "--data-dir", "data", "--json").stdout)["link"]
        assert (await exchanged(server, another))[0] == 200


async def test_a_link_is_for_the_public_address(tmp_path: Path) -> None:
    more = {"CHATD_PUBLIC_URL": "https://example.org/agents/"}
    async with serving(tmp_path):
        link = chatd(tmp_path, "link", "--data-dir", "data", more=more).stdout.strip()

    assert link.startswith("https://example.org/agents/sign-in#")


async def test_without_a_server_there_is_nothing_to_sign_in_at(tmp_path: Path) -> None:
    assert "chatd serve" in complaint(chatd(tmp_path, "link", "--data-dir", "data"))


async def test_a_user_is_let_in_again_by_a_link_that_was_made_while_the_server_was_stopped(
    tmp_path: Path,
) -> None:
    """Whoever can write the database needs no token; nobody else is told anything."""
    async with serving(tmp_path):
        assert chatd(tmp_path, "user", "add", "anna", "--data-dir", "data").returncode == 0

    made = chatd(tmp_path, "user", "link", "Anna", "--data-dir", "data")
    assert "The server is stopped." in made.stderr
    assert "no user 'berta'" in complaint(chatd(tmp_path, "user", "link", "berta", "--data-dir", "data"))
    assert "no database" in complaint(chatd(tmp_path, "user", "link", "anna", "--data-dir", "other"))

    async with serving(tmp_path) as server:
        code = made.stdout.strip().partition("/sign-in#")[2]
        status, account = await exchanged(server, f"{server.address}/sign-in#{code}")
    assert (status, account["name"]) == (200, "anna")


async def test_a_server_says_that_it_has_no_page_or_prints_a_link(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        assert server.process.stdout is not None
        async with server.session.get(f"{server.address}/", headers={"Accept": "text/html"}) as answer:
            shown = await answer.text()
        is_built = "make serve" not in shown
        process = server.process
        # The link comes after the line that says that the server is ready.
        link = process.stdout.readline() if is_built and process.stdout is not None else ""
        process.terminate()
        printed, log = process.communicate()
        printed = link + printed

    assert ("/sign-in#" in printed) is is_built
    assert ("page.not_built" in log) is not is_built
    assert "sign-in#" not in log
