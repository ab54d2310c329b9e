"""Stories of chats that grow long: a real server, and what its model reports of its prompts."""

from pathlib import Path

from chatd.client.asynchronous import AsyncClient
from tests.fake_provider.narrow_provider import NarrowProvider
from tests.fake_provider.places import KEY, PLACES, model_at
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.anthropic import Messages
from tests.journeys.server import Server, is_idle, served, until

# With room for what a server tells every model, and less than an administrator has set.
LIMIT_TOKENS = 20_000
LONG = "lorem ipsum " * 9_000
SETTINGS = """\
[[providers]]
name = "{place}"
type = "{type}"
base_url = "{address}"
api_key = "{key}"

[[models]]
provider = "{place}"
model = "{model}"
context_limit = 200000
"""
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


async def say_at_length(server: Server) -> None:
    async with server.client() as client:
        chat = await client.create_chat(LONG, title="Long", model=model_at(Messages.name))
        await until(client, chat.id, is_idle)


async def test_a_limit_that_a_provider_has_told_is_known_for_its_model_which_summarizes_for_others(
    tmp_path: Path,
) -> None:
    place, there = Messages.name, PLACES[Messages.name]
    provider = NarrowProvider(limit=LIMIT_TOKENS, bytes_per_token=4)
    async with FakeProvider(otherwise=provider) as fake:
        (tmp_path / "chatd.toml").write_text(
            SETTINGS.format(
                place=place,
                type=there.type.value,
                address=fake.address + there.base,
                key=KEY,
                model=there.model,
            )
        )
        async with served(tmp_path, env={"CHATD_CONFIG": str(tmp_path / "chatd.toml")}) as server:
            await say_at_length(server)
            assert provider.refused == 1
            await server.kill()
            await server.start()
            await say_at_length(server)
            assert provider.refused == 1

            async with server.client() as client:
                await client.change_settings(compaction_model=model_at(place))
                chat = await client.create_chat("say Hello.", model="scripted/scripted")
                await until(client, chat.id, is_idle)
                before = provider.summaries
                await client.compact(chat.id)
                await until(client, chat.id, is_idle)

                assert (provider.summaries - before, await summaries(client, chat.id)) == (1, 1)
