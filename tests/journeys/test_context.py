"""Stories of what a workspace tells its agents: a real server, and what its model was really sent."""

from collections.abc import Mapping
from pathlib import Path

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import ChatDescribed
from chatd.kit.codec import encode_text
from tests.journeys.server import is_idle, until
from tests.journeys.working import working

RECORDED: Mapping[str, str] = {"CHATD_SANDBOX": "off", "CHATD_DEBUG_RECORDS": "true"}


async def sent(client: AsyncClient, chat_id: str) -> str:
    """What the model was sent in the newest turn, as it was recorded."""
    newest, *_ = await client.debug_runs(chat_id)
    run = await client.debug_run(chat_id, newest.id)
    return encode_text(run.steps[-1].request)


async def turn(client: AsyncClient, chat_id: str) -> str:
    await client.send(chat_id, "say Hello.")
    await until(client, chat_id, is_idle)
    return await sent(client, chat_id)


async def test_instructions_are_told_change_and_are_told_anew_when_a_person_wants_it(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (server, client, root):
        (root / "AGENTS.md").write_text("Use make.")
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)
        assert "Use make." in await sent(client, chat.id)
        assert [each.source for each in (await client.context(chat.id)).resources] == ["AGENTS.md"]

        (root / "AGENTS.md").write_text("Use npm.")
        await server.kill()
        await server.start()
        assert "Use make." in await turn(client, chat.id)
        assert (await client.chat(chat.id)).context_dirty_since is not None

        assert (await client.refresh_context(chat.id)).dirty_since is None
        await server.kill()
        await server.start()
        told = await turn(client, chat.id)
        assert ("Use npm." in told, "Use make." in told) == (True, False)
        assert (await client.chat(chat.id)).context_dirty_since is None


async def test_a_server_that_is_killed_in_its_first_turn_tells_the_next_one_the_same(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (server, client, root):
        (root / "AGENTS.md").write_text("Use make.")
        chat = await client.create_chat('call remember {"text": "x", "seconds": 600}\nnext\nsay Done.')
        await server.until_ran("remember")
        (root / "AGENTS.md").write_text("Use npm.")
        await server.kill()
        await server.start()
        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)

        assert "Use make." in await turn(client, chat.id)
        async for event in client.stream(chat.id):
            assert isinstance(event, ChatDescribed)
            assert event.chat["context_dirty_since"]
            break
