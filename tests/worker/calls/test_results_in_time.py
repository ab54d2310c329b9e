"""When a result is known, and how long its call took: shown at once, and stored with the result."""

import asyncio
from datetime import datetime

from msgspec.structs import replace

from chatd.domain.ids import CallId
from chatd.domain.message import Role
from chatd.domain.part import ToolResult
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.kit.clock import rfc3339
from chatd.live.episodes.episode import ToolResultPiece
from chatd.worker.worker import Worker
from tests.worker.worlds.absence import AwayWorld, tell_away
from tests.worker.worlds.world import CHAT, World, tell

TWO = 'call @slow wait {"seconds": 60}\ncall @quick wait {"seconds": 10}\nnext\nsay Done.'


def live_parts(world: World) -> list[ToolResult]:
    episodes = world.board._of_chat.get(CHAT, [])
    parts = [spoken.part for episode in episodes for spoken in episode.spoken]
    return [part for part in parts if isinstance(part, ToolResult)]


async def stored_parts(world: World) -> list[ToolResult]:
    messages = [m for m in (await world.stored()).messages if m.role is Role.TOOL]
    return [part for m in messages for part in m.content if isinstance(part, ToolResult)]


def test_a_result_is_shown_as_soon_as_it_is_known_with_its_own_time() -> None:
    async def story(world: World) -> None:
        await world.start(TWO)
        await world.clock.sleep(30)
        (quick,) = live_parts(world)
        assert quick.tool_call_id == "quick"
        assert quick.created_at is not None
        assert quick.created_at < rfc3339(world.clock.now_micros() - 15_000_000)
        await world.until_idle()

        slow, same = await stored_parts(world)
        assert (same.duration_ms, slow.duration_ms) == (10_000, 60_000)
        assert live_parts(world) == [same, slow] == [quick, slow]
        assert slow.created_at is not None
        assert slow.created_at > quick.created_at

    tell(story)


def test_a_result_that_was_kept_before_a_crash_keeps_its_time() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(TWO)
        await world.clock.sleep(30)
        (quick,) = live_parts(world)
        world.leaving.away = True
        second, stop = Worker(replace(world.services(), store=world.store), world.bus), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(second.run(stop))
            await world.until_idle()
            stop.set()

        assert (await stored_parts(world))[1] == quick

    tell_away(story)


def test_a_result_that_was_kept_before_a_stop_keeps_its_time() -> None:
    async def story(world: World) -> None:
        await world.start(TWO)
        await world.clock.sleep(30)
        (quick,) = live_parts(world)
        await world.tell(Interrupt())
        await world.until_idle()

        slow, same = await stored_parts(world)
        assert same == quick
        assert (slow.is_error, slow.duration_ms) == (True, None)

    tell(story)


def test_a_call_that_did_not_run_has_a_time_and_no_duration() -> None:
    async def story(world: World) -> None:
        await world.start('call @a alone {}\ncall @b echo {"text": "x"}\nnext\nsay I see.')
        await world.until_idle()

        parts = await stored_parts(world)
        assert [part.duration_ms for part in parts] == [None, None]
        assert all(part.is_error and part.created_at for part in parts)

    tell(story)


def test_viewers_learn_when_each_call_begins_before_what_it_shows() -> None:
    async def story(world: World) -> None:
        shows = 'call @a show {"text": "row", "pieces": 2, "seconds": 3}'
        await world.start(f'{shows}\ncall @b wait {{"seconds": 20}}\nnext\nsay Done.')
        await world.clock.sleep(5)
        one, other, *shown = world.live_pieces()
        await world.until_idle()

        result, _ = await stored_parts(world)
        began = one.started_at
        assert [one, other] == [
            ToolResultPiece(tool_call_id=CallId("a"), tool_name="show", result_delta="", started_at=began),
            ToolResultPiece(tool_call_id=CallId("b"), tool_name="wait", result_delta="", started_at=began),
        ]
        assert [(piece.tool_call_id, piece.result_delta, piece.started_at) for piece in shown] == [
            ("a", "row 1\n", None)
        ]
        assert began is not None
        assert result.created_at is not None
        took = datetime.fromisoformat(result.created_at) - datetime.fromisoformat(began)
        assert took.total_seconds() * 1000 == result.duration_ms == 6000

    tell(story)
