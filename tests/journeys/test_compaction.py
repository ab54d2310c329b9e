"""Stories of chats that grow long: a real server, and what its model reports of its prompts."""

from pathlib import Path

from chatd.client.asynchronous import AsyncClient
from tests.journeys.server import is_idle, served, until

QUARTER_FULL = "usage 50000 of 200000\nsay Noted."


async def summaries(client: AsyncClient, chat_id: str) -> int:
    parts = [part for message in (await client.messages(chat_id)).messages for part in message.content]
    return len([part for part in parts if (part.type, part.tool_name) == ("tool-result", "chat_summarized")])


async def test_a_user_decides_how_full_a_chat_is_when_it_is_summarized(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(QUARTER_FULL)
        await until(client, chat.id, is_idle)
        await client.send(chat.id, QUARTER_FULL)
        await until(client, chat.id, is_idle)
        by_default = await summaries(client, chat.id)

        await client.change_own_settings(compaction_thresholds={"scripted/scripted": 20})
        await client.send(chat.id, "say And now?")
        await until(client, chat.id, is_idle)

        assert (by_default, await summaries(client, chat.id)) == (0, 1)
