"""chatd mcp trust, as processes against a real server with a workspace."""

import json
from pathlib import Path

from chatd.cli.talk.showing.place import waiting_for_trust
from chatd.client import AsyncClient
from chatd.kit.clock import SystemClock
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store
from tests.cli.caller import Ran, ran, typing
from tests.journeys.server import Server, served
from tests.support.served import Served

PROGRAM = {"command": "python3", "args": ["a b", "c"], "env": {"KEY": "sk-literal"}}
DECLARED = json.dumps({"mcpServers": {"local": PROGRAM}})


def reached(server: Server, store: Store) -> Served:
    return Served(server.address, server.token, store, Live(store, SystemClock()))


async def trusting(home: Path, server: Server, store: Store, *words: str) -> Ran:
    return await ran(home, reached(server, store), "mcp", "trust", *words)


async def test_servers_of_a_workspace_are_shown_trusted_and_withdrawn(tmp_path: Path, store: Store) -> None:
    root = tmp_path / "project"
    root.mkdir()
    async with served(tmp_path, ["--workspace", str(root)]) as server:
        none = await trusting(tmp_path, server, store)
        (root / ".mcp.json").write_text(DECLARED)
        asked = await trusting(tmp_path, server, store)
        trusted = await trusting(tmp_path, server, store, str(root), "--yes")
        told = await trusting(tmp_path, server, store, "--json")
        withdrawn = await trusting(tmp_path, server, store, "--withdraw")
        left = await trusting(tmp_path, server, store, "--json")

    assert "There is no .mcp.json." in none.output, none.errors
    assert (asked.code, "local waits for your trust." in asked.output) == (1, True), asked.errors
    assert "runs    python3 'a b' c" in asked.output
    assert "sk-literal" not in asked.output
    assert "Pass --yes" in asked.errors
    assert "Trusted, as long as the file stays as it is." in trusted.output, trusted.errors
    assert json.loads(told.output)["trusted"] is True
    assert withdrawn.code == 0
    assert json.loads(left.output)["trusted"] is False


async def test_chatd_chat_says_that_servers_wait_for_trust_and_how_to_give_it(
    tmp_path: Path, store: Store
) -> None:
    root = tmp_path / "my project"
    root.mkdir()
    (root / ".mcp.json").write_text(DECLARED)
    async with served(tmp_path, ["--workspace", str(root)]) as server:
        async with typing(tmp_path, reached(server, store), "chat", columns=400) as person:
            await person.sees("MCP servers that wait for your trust (local).")
            await person.sees(f"chatd mcp trust '{root}'")
            person.type("/quit\r")
            assert await person.leaves() == 0
        assert (await trusting(tmp_path, server, store, str(root), "--yes")).code == 0

        async with AsyncClient(server.address, server.token) as client:
            assert await waiting_for_trust(client, None) is None
            assert await waiting_for_trust(client, None, str(tmp_path)) is None
