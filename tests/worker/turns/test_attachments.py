"""Files that tools hand to the chat: shown with the result, linked with it, and counted."""

import asyncio

import pytest
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.decision.left_out import NO_ROOM_OF_OWNER
from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX
from chatd.domain.message import Message, Role
from chatd.domain.part import File, ToolResult
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.live.episodes.episode import ToolResultPiece
from chatd.providers.request.pairing import Taken
from chatd.providers.request.prepare import files_needed, prepare
from chatd.providers.request.wire_turn import Returned
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.tables.files import read_file
from chatd.worker.worker import Worker
from tests.providers.histories import TARGET
from tests.traceability import proves
from tests.words import OWNER
from tests.worker.worlds.absence import AwayWorld, Leaving, tell_away
from tests.worker.worlds.world import CHAT, World, tell

ATTACH = 'call @a attach {"name": "plan.txt", "text": "first, then"}'


async def tool_messages(world: World) -> list[Message]:
    return [m for m in (await world.stored()).messages if m.role is Role.TOOL]


async def files_of(world: World) -> list[File]:
    return [part for m in await tool_messages(world) for part in m.content if isinstance(part, File)]


async def errors_of(world: World) -> list[str]:
    parts = [part for m in await tool_messages(world) for part in m.content if isinstance(part, ToolResult)]
    return [part.result["error"] for part in parts if part.is_error]


async def unused_files(world: World) -> list[FileId]:
    """Those that no chat refers to, and that a chore removes when they are a week old."""
    return [FileId(row[0]) for row in await world.db.read(lambda tx: tx.all("unused_files", -1, 100))]


def attaching(calls: int) -> str:
    return "\n".join(f'call @{n} attach {{"name": "{n}.txt"}}' for n in range(calls))


def live_tool_parts(world: World) -> list[object]:
    """Without those that say that a call has begun."""
    episodes = world.board._of_chat.get(CHAT, [])
    spoken = [s for episode in episodes for s in episode.spoken if s.role is Role.TOOL]
    return [s.part for s in spoken if not isinstance(s.part, ToolResultPiece)]


@proves("tools", 45)
def test_an_attached_file_follows_its_result_live_and_stored() -> None:
    async def story(world: World) -> None:
        await world.start(f"{ATTACH}\nnext\nsay Here it is.")
        await world.until_idle()

        (message,) = await tool_messages(world)
        result, file = message.content
        assert isinstance(result, ToolResult)
        assert isinstance(file, File)
        assert result.result == {"file_id": file.file_id, "name": "plan.txt"}
        assert (file.name, file.media_type) == ("plan.txt", "text/plain")
        assert live_tool_parts(world) == [result, file]
        found = await read_file(world.db, file.file_id)
        assert found is not None
        assert found.data == b"first, then"
        assert (await world.stored()).files == (file.file_id,)

    tell(story)


def test_the_model_is_told_of_the_file_and_not_shown_it() -> None:
    async def story(world: World) -> None:
        await world.start(f"{ATTACH}\nnext\nsay Here it is.")
        await world.until_idle()

        messages = (await world.stored()).messages
        assert files_needed(messages, ()) == []
        told = [p for turn in prepare(messages, TARGET, {}, Taken()).turns for p in turn.parts]
        (returned,) = [part for part in told if isinstance(part, Returned)]
        assert (returned.output["name"], returned.attachments) == ("plan.txt", ())

    tell(story)


@proves("tools", 46)
def test_a_chat_takes_no_more_files_than_it_may_and_the_call_says_how_many() -> None:
    async def story(world: World) -> None:
        await world.start(f"{attaching(FILES_MAX)}\nnext\n{attaching(1)}\nnext\nsay Full.")
        await world.until_idle()

        (error,) = await errors_of(world)
        assert "a chat can refer to 50 files" in error
        stored = await world.stored()
        assert len(stored.files) == FILES_MAX
        assert len(await files_of(world)) == FILES_MAX
        # The one that has no room was not even written.
        assert await unused_files(world) == []
        assert (await world.transcript())[-1] == "assistant: Full."

    tell(story)


def test_of_two_files_at_once_for_the_last_place_one_is_attached_and_one_call_fails() -> None:
    """Both looked before either was linked: the transaction that links them decides."""

    async def story(world: AwayWorld) -> None:
        first = attaching(FILES_MAX - 1)
        last = 'call @x attach {"seconds": 5}\ncall @y attach {"seconds": 5}'
        await world.start(f"{first}\nnext\n{last}\nnext\nsay Full.")
        await world.until(lambda _: sum("attach" in line for line in world.witness.lines) == FILES_MAX + 1)
        world.leaving.writes = False
        await world.clock.sleep(10)
        world.leaving.writes = True
        await world.until_idle()

        (error,) = await errors_of(world)
        assert f"a chat can refer to {FILES_MAX} files" in error
        assert len(await files_of(world)) == len((await world.stored()).files) == FILES_MAX
        assert [c.result.is_error for c in (await world.stored()).calls if c.result].count(True) == 1

    tell_away(story)


@pytest.mark.parametrize("beside", ["", '\ncall @b wait {"seconds": 1}'])
def test_a_file_that_comes_while_the_database_is_away_is_attached_once(beside: str) -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(f'call @a attach {{"seconds": 5}}{beside}\nnext\nsay Done.')
        await world.until(lambda _: len(world.witness.lines) > 0)
        await world.be_away(60)
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, FinishCall
        await world.until_idle()

        assert world.leaving.unanswered == 0
        assert sum(line.startswith("attach") for line in world.witness.lines) == 1
        (file,) = await files_of(world)
        assert (await world.stored()).files == (file.file_id,)
        assert (await world.transcript())[-1] == "assistant: Done."

    tell_away(story)


def test_a_stop_keeps_the_file_of_a_call_that_was_done() -> None:
    async def story(world: World) -> None:
        await world.start(f'{ATTACH}\ncall @slow wait {{"seconds": 60}}')
        await world.until(lambda _: len(live_tool_parts(world)) == 2)
        await world.tell(Interrupt())
        await world.until_idle()

        (file,) = await files_of(world)
        assert (await world.stored()).files == (file.file_id,)
        assert (await world.transcript())[2:] == ["tool: a answered, File", "tool: slow failed"]

    tell(story)


def test_a_stop_while_the_file_waits_for_the_database_loses_neither_file_nor_result() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start('call @a attach {"seconds": 5}')
        await world.until(lambda _: len(world.witness.lines) == 1)
        # It can still be read that the user wants to stop.
        world.leaving.writes = False
        await world.clock.sleep(6)
        await world.tell(Interrupt())
        await world.clock.sleep(20)
        world.leaving.writes = True
        await world.until_idle()

        (file,) = await files_of(world)
        assert (await world.stored()).files == (file.file_id,)
        assert (await world.transcript())[-1] == "tool: a answered, File"

    tell_away(story)


class GoneAfterFile(Leaving):
    """The worker never reaches the database again once it has written a file."""

    def __init__(self, inner: Database) -> None:
        super().__init__(inner)
        self.gone = asyncio.Event()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        done = await super().write(body, pace=pace)
        if await self.read(lambda tx: tx.all("unused_files", -1, 1)):
            self.away = True
            self.gone.set()
        return done


class CrashingWorld(AwayWorld):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.leaving = GoneAfterFile(db)


def test_a_crash_between_the_file_and_the_result_leaves_a_file_that_is_removed_in_time() -> None:
    async def story(world: AwayWorld) -> None:
        assert isinstance(world.leaving, GoneAfterFile)
        await world.start(f"{ATTACH}\nnext\nsay Done.")
        await world.leaving.gone.wait()
        second, stop = Worker(replace(world.services(), store=world.store), world.bus), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(second.run(stop))
            await world.until_idle()
            stop.set()

        (file,) = await files_of(world)
        assert (await world.stored()).files == (file.file_id,)
        assert sum(line.startswith("attach") for line in world.witness.lines) == 2
        (left,) = await unused_files(world)
        assert left != file.file_id

    tell_away(story, make=CrashingWorld)


def test_a_file_without_a_name_or_without_content_is_refused_and_can_be_corrected() -> None:
    async def story(world: World) -> None:
        await world.start('call @a attach {"text": ""}\ncall @b attach {"name": "a\\nb"}\nnext\nsay I see.')
        await world.until_idle()

        empty, nameless = await errors_of(world)
        assert "is empty" in empty
        assert "visible characters" in nameless
        assert (await world.stored()).files == ()

    tell(story)


class FullWorld(World):
    """Each user may have 30 bytes of files."""

    def services(self) -> AgentServices:
        return replace(super().services(), file_bytes_max=30)


def test_what_tools_attach_counts_for_the_owner_of_the_chat_and_the_call_says_when_there_is_no_room() -> None:
    async def story(world: FullWorld) -> None:
        await world.start(f"{ATTACH}\nnext\n{ATTACH}\nnext\n{ATTACH}\nnext\nsay Full.")
        await world.until_idle()

        (error,) = await errors_of(world)
        assert error == NO_ROOM_OF_OWNER
        assert len((await world.stored()).files) == 2
        row = await world.db.read(lambda tx: tx.one("bytes_of_owner", OWNER, ""))
        assert row is not None
        assert row[0] == 2 * len(b"first, then")
        assert (await world.transcript())[-1] == "assistant: Full."

    tell(story, make=FullWorld)  # type: ignore[arg-type]
