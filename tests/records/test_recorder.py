"""Turns that are recorded, in virtual time: where a run begins and ends, and what it may cost."""

import asyncio

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.agent.services import AgentServices
from chatd.domain.chat import AT_WORK, Status
from chatd.domain.ids import CallId, UserId
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import When
from chatd.records.recorder import Recorder
from chatd.records.run import BUDGET_SECONDS, Operation, RecordStatus, Run, RunKind, Step
from chatd.records.store import list_runs, read_run
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.transactions.transact import create_chat
from tests.traceability import proves
from tests.words import CLIENT_TOOL, create, said, send, user
from tests.worker.worlds.world import World, tell

MICROS = 1_000_000


class RecordedWorld(World):
    def services(self) -> AgentServices:
        return replace(super().services(), recorder=self.recorder())

    def recorder(self) -> Recorder:
        return Recorder(db=self.db, clock=self.clock, wanted=self.wanted, retention_days=30)

    async def wanted(self, _: UserId) -> bool:
        return True

    async def runs(self) -> list[tuple[Run, list[Step]]]:
        """When all is written; the oldest first."""
        chat = await self.until(lambda chat: chat.lease is None and chat.status not in AT_WORK)
        found = [await read_run(self.db, chat, run.id) for run in await list_runs(self.db, chat)]
        return [each for each in reversed(found) if each is not None]

    async def outline(self) -> list[tuple[RecordStatus, list[RecordStatus]]]:
        return [(run.status, [step.status for step in steps]) for run, steps in await self.runs()]


COMPLETED, INTERRUPTED, FAILED = RecordStatus.COMPLETED, RecordStatus.INTERRUPTED, RecordStatus.ERROR


def test_a_model_without_a_wire_is_recorded_in_our_words() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start('say Let me see.\ncall @a echo {"text": "x"}\nnext\nsay Done.')
        ((run, steps),) = await world.runs()

        assert (run.status, run.provider, run.model) == (COMPLETED, "scripted", "scripted/scripted")
        assert [step.attempts for step in steps] == [(), ()]
        assert [step.response["content"][0]["text"] for step in steps] == ["Let me see.", "Done."]
        # What was said afterwards had not been said yet.
        assert [len(step.request["messages"]) for step in steps] == [1, 3]

    tell(story, make=RecordedWorld)


def test_each_turn_of_a_queue_is_a_run() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start("say One.\nwait 10")
        await world.until_said("One.")
        await world.send("say Two.")
        runs = await world.runs()

        assert [run.summary.first_message for run, _ in runs] == ["say One. wait 10", "say Two."]
        assert await world.outline() == [(COMPLETED, [COMPLETED]), (COMPLETED, [COMPLETED])]

    tell(story, make=RecordedWorld)


def test_a_steered_message_is_heard_within_the_run() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start('call @w wait {"seconds": 5}\nnext\nsay First.')
        await world.until(lambda chat: chat.open_calls == 1)
        await world.tell(send("say Steered.", When.STEER))
        ((run, steps),) = await world.runs()

        assert (run.trigger_message_id, len(steps)) == (1, 2)
        assert run.tip_message_id == steps[1].request["messages"][-1]["id"]
        assert run.summary.first_message.startswith("call @w wait")

    tell(story, make=RecordedWorld)


def test_a_run_ends_where_the_chat_begins_to_wait_for_its_client() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await create_chat(world.store, create(user(f"call @c {CLIENT_TOOL}\nnext\nsay Thanks.")))
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        await world.tell(SubmitActions(actions=(Result(call_id=CallId("c"), output="done"),)))

        assert await world.outline() == [(COMPLETED, [COMPLETED]), (COMPLETED, [COMPLETED])]

    tell(story, make=RecordedWorld)


def test_a_turn_that_fails_for_good_has_all_its_tries_in_one_step() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start("fail invalid_response")
        ((run, (step,)),) = await world.runs()

        assert (run.status, step.status) == (FAILED, FAILED)
        assert step.error is not None
        assert step.error.kind == "generic"
        assert run.summary.has_error

    tell(story, make=RecordedWorld)


def test_an_edit_in_the_midst_of_a_turn_begins_a_new_run() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        done = await world.start("say One.\nwait 60")
        await world.until_said("One.")
        await world.tell(EditMessage(message_id=done.appended[0].id, content=said("say Two.")))
        ((run, (step,)),) = await world.runs()

        assert run.summary.first_message == "say Two."
        assert step.status is COMPLETED

    tell(story, make=RecordedWorld)


def test_a_history_that_is_too_long_is_summed_up_in_a_step_of_its_turn() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start('call @a echo {"text": "x"}\nnext\nfail context_too_large')
        ((run, steps),) = await world.runs()

        assert run.kind is RunKind.TURN
        # What was too long, the summary, a shorter one since that was too long as well, and the reply.
        assert [(step.number, step.operation, step.status) for step in steps] == [
            (1, Operation.REPLY, COMPLETED),
            (2, Operation.REPLY, FAILED),
            (3, Operation.SUMMARY, COMPLETED),
            (4, Operation.SUMMARY, COMPLETED),
            (5, Operation.REPLY, COMPLETED),
        ]

    tell(story, make=RecordedWorld)


class Hanging:
    """A database that never answers whoever writes."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self.read = db.read

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


class HangingWorld(RecordedWorld):
    def recorder(self) -> Recorder:
        return replace(super().recorder(), db=Hanging(self.db))


@proves("loop", 52)
def test_a_database_that_hangs_costs_a_turn_the_budget_and_no_more() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        began = world.clock.now_micros()
        with capture_logs() as logs:
            await world.start('call @a echo {"text": "x"}\nnext\nsay Done.')
            await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Done."
        assert (world.clock.now_micros() - began) / MICROS < BUDGET_SECONDS + 3
        assert [each["error"] for each in logs if each["event"] == "record.failed"] == ["TimeoutError"]

    tell(story, make=HangingWorld)


class Unsure(RecordedWorld):
    """One in which nobody can find out what users have chosen, the first time."""

    asked = 0

    async def wanted(self, _: UserId) -> bool:
        self.asked += 1
        if self.asked == 1:
            raise OSError("not now")
        return True


@proves("loop", 52)
def test_nothing_is_recorded_when_it_cannot_be_found_out_whether_to() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start('call @a echo {"text": "x"}\nnext\nsay One.')
        await world.until_idle()
        await world.send("say Two.")

        # It counts for that turn, and the next one is asked about anew.
        assert [run.summary.first_message for run, _ in await world.runs()] == ["say Two."]

    tell(story, make=Unsure)


@pytest.mark.parametrize("workers", [1, 3])
def test_records_say_the_same_however_many_workers_there_are(workers: int) -> None:
    async def story(world: World) -> None:
        assert isinstance(world, RecordedWorld)
        await world.start("fail overloaded once\nsay Done.")

        assert await world.outline() == [(COMPLETED, [COMPLETED])]

    tell(story, make=RecordedWorld, workers=workers)
