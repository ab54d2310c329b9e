"""Stories of what a workspace tells its agents: a real server, and what its model was really sent."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import ChatDescribed
from chatd.kit.codec import encode_text
from tests.journeys.server import PATIENCE_SECONDS, is_idle, until
from tests.journeys.workspace.working import results, working

RECORDED: Mapping[str, str] = {"CHATD_SANDBOX": "off", "CHATD_DEBUG_RECORDS": "true"}


async def request_of(client: AsyncClient, chat_id: str) -> Any:
    """What the model was sent last, as it was recorded. That is a little behind the turn."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            newest, *_ = await client.debug_runs(chat_id)
            run = await client.debug_run(chat_id, newest.id)
            if newest.finished_at is not None:
                return run.steps[-1].request


async def sent(client: AsyncClient, chat_id: str) -> str:
    return encode_text(await request_of(client, chat_id))


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


SKILL = "---\nname: deploy\ndescription: How we deploy.\n---\nRead steps.txt, then run `make deploy`."
PERSONAL = "---\nname: review\ndescription: How I review.\n---\nBe kind."


async def test_skills_are_read_before_and_after_a_kill_as_they_were_pinned(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (server, client, root):
        place = root / "skills" / "deploy"
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(SKILL)
        (place / "steps.txt").write_text("1. Tag it.")
        await client.add_skill(PERSONAL)
        chat = await client.create_chat(
            'call @a read_skill {"name": "deploy"}\n'
            'call @b read_skill {"name": "review"}\nnext\n'
            'call @c remember {"text": "x", "seconds": 600}\nnext\nsay Done.'
        )
        await server.until_ran("remember")
        (place / "SKILL.md").write_text(SKILL.replace("make deploy", "make chaos"))
        await server.kill()
        await server.start()
        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)
        await client.send(
            chat.id,
            'call @d read_skill {"name": "deploy"}\n'
            'call @e read_skill_file {"name": "deploy", "path": "steps.txt"}\n'
            'call @f read_skill_file {"name": "deploy", "path": "../../AGENTS.md"}\n'
            'call @g read_skill_file {"name": "review", "path": "x"}\nnext\nsay Done.',
        )
        await until(client, chat.id, is_idle)
        told = await results(client, chat.id)

        assert told["a"]["body"] == told["d"]["body"] == "Read steps.txt, then run `make deploy`."
        assert (told["a"]["files"], told["b"]["body"]) == (["steps.txt"], "Be kind.")
        assert told["e"] == {"content": "1. Tag it."}
        assert "error" in told["f"]
        assert "personal skill" in told["g"]["error"]
        assert (await client.chat(chat.id)).context_dirty_since is not None


async def test_instructions_of_a_directory_are_told_once_over_a_restart(
    tmp_path: Path, database_flags: Sequence[str]
) -> None:
    async with working(tmp_path, RECORDED, database_flags) as (server, client, root):
        (root / "web" / "src").mkdir(parents=True)
        (root / "web" / "AGENTS.md").write_text("Use npm.")
        (root / "web" / "src" / "a.ts").write_text("x")
        read = 'read_file {"path": "web/src/a.ts"}\nnext\nsay Done.'
        chat = await client.create_chat(f"call @a {read}")
        await until(client, chat.id, is_idle)
        assert "Use npm." in await sent(client, chat.id)

        await server.stop()
        await server.start()
        await client.send(chat.id, f"call @b {read}")
        await until(client, chat.id, is_idle)

        told = await results(client, chat.id)
        (only,) = told["a"]["nearby_instructions"]["files"]
        assert only == {"path": str(root / "web" / "AGENTS.md"), "text": "Use npm."}
        assert "nearby_instructions" not in told["b"]
