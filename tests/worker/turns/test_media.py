"""What tools have shown is kept as a file: messages name it, and a prompt reads it when it is made."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from msgspec.structs import replace

from chatd.domain.message import Message, Role
from chatd.domain.part import File, ToolResult, files_in
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.kit.clock import Clock
from chatd.kit.codec import encode
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from chatd.providers.request.pairing import Taken
from chatd.providers.request.prepare import prepare
from chatd.providers.request.wire_turn import Returned
from chatd.storage.tables.files import UNUSED_DAYS, linked_files, read_file, read_files, remove_unused_files
from chatd.worker.worker import Worker
from tests.providers.histories import TARGET
from tests.worker.turns.test_attachments import CrashingWorld, GoneAfterFile, live_tool_parts, unused_files
from tests.worker.worlds.absence import AwayWorld, Counting, tell_away
from tests.worker.worlds.world import CHAT, World, tell

# Half a megabyte of it, as a screenshot has.
PICTURE = 'call @a picture {"text": "the desk", "width": 700}'
ROW_BYTES_MAX = 2000


async def results(world: World) -> list[tuple[Message, ToolResult]]:
    messages = [m for m in (await world.stored()).messages if m.role is Role.TOOL]
    return [(m, part) for m in messages for part in m.content if isinstance(part, ToolResult)]


def media_of(result: ToolResult) -> File:
    assert result.media is not None
    return result.media


def test_a_picture_is_a_file_and_messages_ledger_and_viewers_only_name_it() -> None:
    async def story(world: World) -> None:
        await world.start(f"{PICTURE}\nnext\nsay I see.")
        await world.until_idle()

        ((message, result),) = await results(world)
        media = media_of(result)
        assert result.result == {"mime_type": "image/png", "text": "the desk"}
        assert media.media_type == "image/png"
        assert len(encode(message)) < ROW_BYTES_MAX
        stored = await world.stored()
        assert all(len(encode(call)) < ROW_BYTES_MAX for call in stored.calls)
        assert live_tool_parts(world) == [result]
        found = await read_file(world.db, media.file_id)
        assert found is not None
        assert len(found.data) == media.size_bytes
        assert len(found.data) > 490_000
        assert stored.files == (media.file_id,)

    tell(story)


def test_the_next_prompt_has_the_picture_itself() -> None:
    async def story(world: World) -> None:
        await world.start(f"{PICTURE}\nnext\nsay I see.")
        await world.until_idle()

        ((_, result),) = await results(world)
        messages = (await world.stored()).messages
        files = await read_files(world.db, [media_of(result).file_id])
        told = [part for turn in prepare(messages, TARGET, files, Taken()).turns for part in turn.parts]
        (returned,) = [part for part in told if isinstance(part, Returned)]
        assert returned.output == "the desk"
        assert [len(each.data) for each in returned.attachments] == [media_of(result).size_bytes]

    tell(story)


def test_pictures_take_no_room_of_files_that_people_get() -> None:
    async def story(world: World) -> None:
        pictures = "\n".join(f'call @{n} picture {{"width": 1}}' for n in range(60))
        await world.start(f"{pictures}\nnext\ncall @x attach {{}}\nnext\nsay Done.")
        await world.until_idle()

        links = await world.db.read(lambda tx: linked_files(tx, CHAT))
        assert (links.media_count, links.link_count) == (60, 1)
        assert [result.is_error for _, result in await results(world)] == [False] * 61

    tell(story)


@pytest.mark.parametrize("beside", ["", '\ncall @b wait {"seconds": 1}'])
def test_a_picture_that_comes_while_the_database_is_away_is_kept_once(beside: str) -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(f'call @a picture {{"seconds": 5}}{beside}\nnext\nsay Done.')
        await world.until(lambda _: len(world.witness.lines) > 0)
        await world.be_away(60)
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, FinishCall
        await world.until_idle()

        assert world.leaving.unanswered == 0
        assert sum(line.startswith("picture") for line in world.witness.lines) == 1
        (_, result), *_ = await results(world)
        assert (await world.stored()).files == (media_of(result).file_id,)
        assert await unused_files(world) == []

    tell_away(story)


def test_a_crash_between_the_picture_and_its_result_leaves_nothing_for_good() -> None:
    async def story(world: AwayWorld) -> None:
        assert isinstance(world.leaving, GoneAfterFile)
        await world.start(f"{PICTURE}\nnext\nsay Done.")
        await world.leaving.gone.wait()
        second, stop = Worker(replace(world.services(), store=world.store), world.bus), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(second.run(stop))
            await world.until_idle()
            stop.set()

        ((_, result),) = await results(world)
        (left,) = await unused_files(world)
        assert left != media_of(result).file_id
        await world.clock.sleep(UNUSED_DAYS * 24 * 3600 + 1)
        assert await remove_unused_files(world.db, limit=10) == 1
        assert await read_file(world.db, left) is None
        assert await read_file(world.db, media_of(result).file_id) is not None

    tell_away(story, make=CrashingWorld)


class Noting(Counting):
    """Reads what the history of each request names, as a model of a provider does."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.read: list[int] = []

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        named = files_in(message.content for message in request.messages)
        self.read = [len(data) for data in (await request.read_files(named)).values()]
        async for events in super().stream(request):
            yield events


class NotingWorld(AwayWorld):
    def make_model(self) -> Noting:
        return Noting(self.clock)


def test_each_request_can_read_what_its_history_names() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(f"{PICTURE}\nnext\nsay I see.")
        await world.until_idle()

        ((_, result),) = await results(world)
        assert isinstance(world.model, Noting)
        assert world.model.read == [media_of(result).size_bytes]

    tell_away(story, make=NotingWorld)
