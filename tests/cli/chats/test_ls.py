"""chatd ls: how many chats it lists, and what it says of the others."""

from pathlib import Path

from chatd.cli.chats.ls import LIMIT_DEFAULT
from chatd.client import AsyncClient
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served


async def test_more_chats_than_are_listed_are_mentioned_unless_somebody_has_said_how_many_to_list(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        for number in range(LIMIT_DEFAULT + 1):
            await client.create_chat(f"chat {number}")

        usual = await ran(tmp_path, server, "ls")
        one = await ran(tmp_path, server, "ls", "--limit", "1")

    assert len(usual.output.splitlines()) == LIMIT_DEFAULT
    assert usual.errors == "There are more; --limit shows up to 200.\n"
    assert (len(one.output.splitlines()), one.errors) == (1, "")
