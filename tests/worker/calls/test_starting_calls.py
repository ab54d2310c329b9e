"""Which calls are noted as started, and when: after a crash only those that really began are in doubt."""

import asyncio
from collections import Counter

from msgspec.structs import replace

from chatd.agent.calls.places import CallPlaces
from chatd.agent.calls.run_tools import PARALLEL_MAX
from chatd.agent.services import AgentServices
from chatd.domain.call import CallState
from chatd.domain.decision.answers import NEVER_RAN
from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.transactions.transact import Done, Store
from chatd.tools.rehearsal import rehearsal_tools
from chatd.worker.worker import Worker
from tests.support.same_tools import toolbox_with
from tests.traceability import proves
from tests.worker.worlds.absence import AwayWorld, Leaving, tell_away

OTHER = ChatId("other")
MORE_THAN_FIT = PARALLEL_MAX + 2


def launches(count: int, seconds: float = 5) -> str:
    calls = [f'call @{n} launch {{"text": "x", "seconds": {seconds}}}' for n in range(count)]
    return "\n".join([*calls, "next", "say Done."])


async def states(world: AwayWorld) -> Counter[CallState]:
    return Counter(call.state for call in (await world.stored()).calls)


async def crash_and_take_over(world: AwayWorld) -> None:
    """The first worker never reaches the database again; a second one goes on with its chat."""
    world.leaving.away = True
    second, stop = Worker(replace(world.services(), store=world.store), world.bus), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(second.run(stop))
        await world.until_idle()
        stop.set()


def test_calls_that_wait_for_room_are_not_started_and_run_after_a_crash() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(launches(MORE_THAN_FIT))
        await world.until(lambda _: len(world.witness.lines) == PARALLEL_MAX)
        assert await states(world) == {CallState.STARTED: PARALLEL_MAX, CallState.OPEN: 2}
        await crash_and_take_over(world)

        ends = Counter(line.split()[-1] for line in await world.transcript() if line.startswith("tool:"))
        assert ends == {"failed": PARALLEL_MAX, "answered": 2}
        assert max(Counter(world.witness.lines).values()) == 1
        assert len(world.witness.lines) == MORE_THAN_FIT

    tell_away(story)


def test_a_call_begins_as_soon_as_another_has_ended_and_is_noted_with_its_result() -> None:
    async def story(world: AwayWorld) -> None:
        slow, quick = launches(PARALLEL_MAX, 60), '\ncall @quick launch {"seconds": 1}\ncall @last launch {}'
        head, tail = slow.split("\nnext")
        begins = head.splitlines()[1:]
        await world.start("\n".join([*begins, *quick.strip().splitlines()]) + "\nnext" + tail)
        await world.until(lambda _: len(world.witness.lines) == PARALLEL_MAX + 1)

        counted = await states(world)
        assert counted[CallState.FINISHED] >= 1
        assert counted[CallState.OPEN] == 0

    tell_away(story)


def test_a_batch_that_fits_is_noted_as_started_in_one_transaction() -> None:
    async def story(world: AwayWorld) -> None:
        done = await world.start(launches(3))
        await world.until(lambda _: len(world.witness.lines) == 3)

        # Taking the chat, the reply, and the start of all calls.
        assert (await world.stored()).chat.versions.snapshot == done.chat.versions.snapshot + 3
        await world.until_idle()

    tell_away(story)


class SerialWorld(AwayWorld):
    """Calls of `launch` run one after the other."""

    def services(self) -> AgentServices:
        tools = tuple(
            replace(tool, serial=True) if tool.name == "launch" else tool
            for tool in rehearsal_tools(self.witness, self.clock)
        )
        return replace(super().services(), toolbox_of=toolbox_with(tools))


@proves("loop", 20)
def test_calls_that_run_one_after_the_other_begin_when_all_others_have_settled() -> None:
    async def story(world: AwayWorld) -> None:
        first, *rest = launches(2).split("\n")
        slow = 'call @slow remember {"text": "slow", "seconds": 20}'
        await world.start("\n".join((first, slow, *rest)))
        await world.until_idle()

        assert [line.split()[0] for line in world.witness.lines] == ["remember", "launch", "launch"]
        # What the model is told has the order of its calls.
        assert [line for line in await world.transcript() if line.startswith("tool:")] == [
            "tool: 0 answered",
            "tool: slow answered",
            "tool: 1 answered",
        ]

    tell_away(story, make=SerialWorld)


def test_calls_that_run_one_after_the_other_are_noted_one_after_the_other() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(launches(3))
        await world.until(lambda _: len(world.witness.lines) == 2)
        assert await states(world) == {CallState.FINISHED: 1, CallState.STARTED: 1, CallState.OPEN: 1}
        await crash_and_take_over(world)

        assert [line for line in await world.transcript() if line.startswith("tool:")] == [
            "tool: 0 answered",
            "tool: 1 failed",
            "tool: 2 answered",
        ]
        assert len(world.witness.lines) == 3

    tell_away(story, make=SerialWorld)


def test_the_answer_of_a_commit_that_is_lost_does_not_keep_the_next_call_from_running() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(launches(3))
        await world.until(lambda _: len(world.witness.lines) == 1)
        world.leaving.unanswered = 1
        await world.until_idle()

        assert [line for line in await world.transcript() if "answered" in line] == [
            f"tool: {n} answered" for n in range(3)
        ]
        assert len(world.witness.lines) == 3

    tell_away(story, make=SerialWorld)


def test_calls_whose_start_was_saved_without_an_answer_are_not_in_doubt() -> None:
    async def story(world: AwayWorld) -> None:
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, StartCalls
        await world.start(launches(3))
        await world.until_idle()

        assert world.leaving.unanswered == 0
        assert (await world.transcript())[-4:-1] == [f"tool: {n} answered" for n in range(3)]
        assert len(world.witness.lines) == 3

    tell_away(story)


def test_a_stop_between_two_calls_keeps_the_result_and_starts_nothing() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(launches(2))
        await world.until(lambda _: len(world.witness.lines) == 1)
        world.leaving.writes = world.leaving.reads = False
        await world.clock.sleep(6)
        await world.tell(Interrupt())
        world.leaving.away = False
        await world.until_idle()

        assert [line for line in await world.transcript() if line.startswith("tool:")] == [
            "tool: 0 answered",
            "tool: 1 failed",
        ]
        assert len(world.witness.lines) == 1

    tell_away(story, make=SerialWorld)


def test_the_start_of_a_call_that_runs_alone_is_noted_with_the_reply_that_makes_it() -> None:
    async def story(world: AwayWorld) -> None:
        done = await world.start(launches(1))
        await world.until(lambda _: len(world.witness.lines) == 1)

        assert await states(world) == {CallState.STARTED: 1}
        # Taking the chat, and the reply.
        assert (await world.stored()).chat.versions.snapshot == done.chat.versions.snapshot + 2
        await world.until_idle()

    tell_away(story)


def test_a_reply_that_was_saved_without_an_answer_leaves_its_call_in_no_doubt() -> None:
    async def story(world: AwayWorld) -> None:
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, StartCalls
        await world.start(launches(1))
        await world.until_idle()

        assert world.leaving.unanswered == 0
        assert "tool: 0 answered" in await world.transcript()
        assert len(world.witness.lines) == 1

    tell_away(story)


class NarrowWorld(AwayWorld):
    """One call runs at a time, of all chats."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.places = CallPlaces(1)

    def services(self) -> AgentServices:
        return replace(super().services(), call_places=self.places)


async def until_noted_and_waiting_for_a_place(world: AwayWorld) -> None:
    """The start of the call is noted, and a call of another chat has the only place."""
    await world.start(launches(1, seconds=60), OTHER)
    await world.until(lambda _: len(world.witness.lines) == 1, OTHER)
    await world.start(launches(1))
    await world.until(lambda chat: chat.open_calls == 1)
    assert await states(world) == {CallState.STARTED: 1}


def test_a_stop_before_a_noted_call_has_begun_says_that_it_did_not_run() -> None:
    async def story(world: AwayWorld) -> None:
        await until_noted_and_waiting_for_a_place(world)
        await world.tell(Interrupt())
        await world.until_idle()

        assert NEVER_RAN in str((await world.stored()).messages[-1].content)
        await world.until_idle(OTHER)
        assert len(world.witness.lines) == 1

    tell_away(story, make=NarrowWorld)


class LeavingWorld(AwayWorld):
    """Its worker is told to leave at the very moment at which a start is committed."""

    def worker(self) -> Worker:
        self.workers.append(super().worker())
        return self.workers[-1]

    def store_of_workers(self) -> Store:
        return Store(_Telling(self), self.bus)


class _Telling(Leaving):
    def __init__(self, world: LeavingWorld) -> None:
        super().__init__(world.db)
        self._world = world

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        result = await super().write(body, pace=pace)
        if isinstance(result, Done) and any(isinstance(each, StartCalls) for each in result.commands):
            self._world.stop.set()
            for worker in self._world.workers:
                for runner in worker._runners.values():
                    runner.leave_soon()
        return result


def test_a_noted_call_runs_although_its_worker_is_about_to_leave() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start(launches(1, seconds=1))
        await world.until(lambda chat: chat.open_calls == 1)
        await world.until(lambda chat: chat.open_calls == 0)

        assert "tool: 0 answered" in await world.transcript()
        assert len(world.witness.lines) == 1

    tell_away(story, make=LeavingWorld)
