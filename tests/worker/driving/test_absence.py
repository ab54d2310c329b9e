"""A database that is away for a while costs time, and nothing else: no reply twice, no result, no turn."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from msgspec.structs import replace

from chatd.agent.hold.unsaved import LEAVING_SECONDS_MAX, UNSAVED_SECONDS_MAX, Unsaved
from chatd.agent.services import AgentServices
from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, WorkerId
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.providers.events import FileMade, Finished, Stop, StreamEvent, TextDelta
from chatd.providers.model import Request
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import transact
from chatd.worker.runner import CANCELLED_SECONDS_MAX
from chatd.worker.worker import GRACE_SECONDS
from tests.words import lease
from tests.worker.worlds.absence import AwayWorld, Counting, tell_away
from tests.worker.worlds.world import CHAT

ABSENCES = [5, 20, 60, 1800]

REPLY = "stream 20 words at 10 per second\nsay Done."
ONE_LAUNCH = 'call @a launch {"text": "x", "seconds": 3}\nnext\nsay Done.'
TWO_LAUNCHES = """\
call @a launch {"text": "x", "seconds": 3}
call @b launch {"text": "y", "seconds": 4}
next
say Done."""


@pytest.mark.parametrize("seconds", ABSENCES)
def test_a_reply_that_ends_while_the_database_is_away_is_saved_and_not_paid_twice(seconds: float) -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(REPLY)
        await world.until_said(" ")
        await world.be_away(seconds)
        chat = await world.until_idle()

        assert (world.model.calls, chat.projection.steps) == (1, 1)
        assert (await world.transcript())[-1].endswith("Done.")

    tell_away(story)


@pytest.mark.parametrize("seconds", ABSENCES)
@pytest.mark.parametrize("script", [ONE_LAUNCH, TWO_LAUNCHES], ids=["one", "two"])
def test_a_result_that_comes_while_the_database_is_away_is_kept(script: str, seconds: float) -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(script)
        launches = script.count("launch")
        await world.until(lambda _: len(world.witness.lines) == launches)
        await world.be_away(seconds)
        await world.until_idle()

        assert len(world.witness.lines) == launches
        assert not [line for line in await world.transcript() if "failed" in line]
        assert world.model.calls == 2

    tell_away(story)


@pytest.mark.parametrize("seconds", ABSENCES)
def test_many_turns_on_two_workers_are_all_saved_and_none_is_paid_twice(seconds: float) -> None:
    """When the database is back, all leases look old. Those who could not beat have not died."""

    async def story(world: AwayWorld) -> None:
        await world.clock.sleep(5)
        chats = [ChatId(f"chat {n}") for n in range(8)]
        for chat_id in chats:
            await world.start("stream 20 words at 10 per second", chat_id)
        await world.clock.sleep(1)
        await world.be_away(seconds)
        for chat_id in chats:
            await world.until_idle(chat_id)

        assert world.model.calls == len(chats)

    tell_away(story, workers=2)


def test_an_absence_of_two_hours_fails_no_turn() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(REPLY)
        await world.until_said(" ")
        await world.be_away(2 * UNSAVED_SECONDS_MAX)
        await world.until_idle()

        # Nothing is held for longer than an hour, so it was asked for once more.
        assert world.model.calls == 2

    tell_away(story)


def test_a_chat_that_begins_while_reads_fail_begins_when_they_work_again() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start('stream 5 words at 1 per second\ncall @a echo {"text": "x"}\nnext\nsay Done.')
        await world.until_said(" ")
        world.leaving.reads = False
        await world.clock.sleep(600)
        assert (await world.stored()).chat.last_error is None
        world.leaving.reads = True
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Done."

    tell_away(story)


def test_reads_that_fail_from_the_beginning_are_no_failure_of_the_turn() -> None:
    async def story(world: AwayWorld) -> None:
        world.leaving.reads = False
        await world.start("say Hi.")
        await world.clock.sleep(600)
        assert (await world.stored()).chat.status is Status.RUNNING
        world.leaving.reads = True
        await world.until_idle()

        assert world.model.calls == 1

    tell_away(story)


def test_a_stop_while_a_result_waits_for_the_database_does_not_lose_the_result() -> None:
    """The runner sees the stop and cancels the tools; the result takes longer than a cancelled duty may."""

    async def story(world: AwayWorld) -> None:
        await world.start(script)
        await world.until(lambda _: len(world.witness.lines) == 2)
        world.leaving.writes = False
        await world.clock.sleep(3.5)
        await world.tell(Interrupt())
        await world.clock.sleep(CANCELLED_SECONDS_MAX + 0.5)
        world.leaving.writes = True
        await world.until_idle()

        assert "tool: a answered" in await world.transcript()

    script = TWO_LAUNCHES.replace('"seconds": 4', '"seconds": 600')
    tell_away(story)


def test_a_stop_while_the_only_result_waits_for_the_database_does_not_lose_it() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(ONE_LAUNCH)
        await world.until(lambda _: len(world.witness.lines) == 1)
        world.leaving.writes = False
        await world.clock.sleep(3.5)
        await world.tell(Interrupt())
        await world.clock.sleep(CANCELLED_SECONDS_MAX + 0.5)
        world.leaving.writes = True
        await world.until_idle()

        assert "tool: a answered" in await world.transcript()

    tell_away(story)


def test_a_reply_that_is_being_saved_when_the_grace_of_a_stop_is_over_is_saved_and_not_paid_twice() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(REPLY)
        await world.until_said(" ")
        world.stop.set()
        # The reply ends after two seconds, within the grace.
        world.leaving.writes = False
        await world.clock.sleep(GRACE_SECONDS + 0.5)
        world.leaving.writes = True
        chat = await world.until_idle()

        assert (world.model.calls, chat.projection.steps) == (1, 1)

    tell_away(story)


def test_a_server_that_stops_does_not_wait_for_a_database_that_is_away() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(TWO_LAUNCHES)
        await world.until(lambda _: len(world.witness.lines) == 2)
        world.leaving.away = True
        await world.clock.sleep(60)
        stopped_at.append(asyncio.get_running_loop().time())

    stopped_at: list[float] = []
    world = tell_away(story)
    assert world.ended_at - stopped_at[0] < GRACE_SECONDS + LEAVING_SECONDS_MAX + 10


def test_a_chat_that_was_taken_meanwhile_is_not_written_to_when_the_database_is_back() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(TWO_LAUNCHES)
        await world.until(lambda _: len(world.witness.lines) == 2)
        world.leaving.away = True
        await world.clock.sleep(15)
        await leases.beat(world.db, WorkerId("thief"))
        taken = await transact(world.silent_store, CHAT, Acquire(lease=lease("thief")))
        world.leaving.away = False
        await world.clock.sleep(6)

        assert (await world.stored()).chat == taken.chat

    tell_away(story)


class SmallWorld(AwayWorld):
    """Has no room for what the database does not take."""

    def services(self) -> AgentServices:
        return replace(super().services(), unsaved=Unsaved(bytes_max=10))


def test_what_is_more_than_the_process_may_hold_is_given_up_and_asked_for_again() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(REPLY)
        await world.until_said(" ")
        await world.be_away(60)
        chat = await world.until_idle()

        assert (world.model.calls, chat.projection.steps) == (2, 1)

    tell_away(story, make=SmallWorld)


class Painting(Counting):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.calls += 1
        yield [TextDelta("Look:")]
        await self._clock.sleep(3)
        yield [
            FileMade("image/png", b"\x89PNG one"),
            FileMade("image/png", b"\x89PNG two"),
            Finished(Stop.DONE),
        ]


class Gallery(AwayWorld):
    def make_model(self) -> Counting:
        return Painting(self.clock)


@pytest.mark.parametrize("lost_answers", [0, 1])
def test_files_that_a_model_made_are_kept_once_however_often_the_database_fails(lost_answers: int) -> None:
    async def story(world: AwayWorld) -> None:
        await world.start("Paint.")
        await world.until_said("Look:")
        await world.be_away(20)
        world.leaving.unanswered = lost_answers
        await world.until_idle()

        stored = await world.stored()
        assert (world.model.calls, len(stored.files)) == (1, 2)
        assert await world.db.read(lambda tx: tx.all("media_types_for_message", *_all_of(stored.files)))

    tell_away(story, make=Gallery)


def _all_of(files: Sequence[str]) -> tuple[str, str, str]:
    return "[" + ",".join(f'"{file}"' for file in files) + "]", "owner", CHAT
