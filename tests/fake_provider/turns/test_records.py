"""A turn that is recorded: what was sent, what came back, and no key in any of it."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.domain.chat import Status
from chatd.domain.ids import UserId
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.kit.clock import SystemClock
from chatd.kit.codec import encode_text
from chatd.records.audience import run_for, step_for
from chatd.records.recorder import Recorder
from chatd.records.run import Operation, RecordStatus, Run, RunKind, Step
from chatd.records.store import list_runs, read_run
from chatd.storage.database import Body, Database, Pace, T
from tests.fake_provider.places import KEY, PLACES, STORED, model_at
from tests.fake_provider.script import Call, answer, say
from tests.fake_provider.troubles import Complaint, Fault, Lost, Silence
from tests.fake_provider.turns.world import PATIENCE_SECONDS, PNG, ProviderWorld, working
from tests.traceability import proves
from tests.words import said, words_of

CALLS = answer(say("Let me see."), Call("a", "echo", {"text": "moon", "api_key": "of-somebody"}))
SAYS = answer(say("It is ", "the moon."))
OVERLOADED_AT = dict.fromkeys(PLACES, 503) | {"anthropic": 529}
OVERLOADED = Complaint(fault=Fault.OVERLOADED, words=f"Too much. Your key was {KEY}.")


async def everyone(_: UserId) -> bool:
    return True


def recorder_of(db: Database) -> Recorder:
    return Recorder(db=db, clock=SystemClock(), wanted=everyone, retention_days=30)


async def runs(world: ProviderWorld) -> list[tuple[Run, list[Step]]]:
    """When all is written; the oldest first."""
    await world.until_released()
    async with asyncio.timeout(PATIENCE_SECONDS):
        # A chat is given back with its last commit, and the record of its turn is written after that.
        found = await runs_so_far(world)
        while not all(run.finished_at for run, _ in found):
            await asyncio.sleep(0)
            found = await runs_so_far(world)
    return found


async def runs_so_far(world: ProviderWorld) -> list[tuple[Run, list[Step]]]:
    chat = (await world.stored()).chat
    found = [await read_run(world.db, chat, run.id) for run in await list_runs(world.db, chat)]
    return [each for each in reversed(found) if each is not None]


def outline(run: Run, steps: Sequence[Step]) -> tuple[object, ...]:
    """How it went, with the status of each round trip."""
    return run.status, [
        (step.status, [each.response.status if each.response else None for each in step.attempts])
        for step in steps
    ]


@proves("loop", 51)
@pytest.mark.parametrize("place", [place for place in PLACES if place != STORED])
async def test_a_turn_is_one_run_with_a_step_for_each_call_and_an_attempt_for_each_try(
    folder: Path, place: str
) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(CALLS, OVERLOADED, SAYS)
        await world.ask(place, f"What makes the tides? {KEY}", picture=True)

        ((run, steps),) = await runs(world)

    succeeded, tried_twice = steps
    assert outline(run, steps) == (
        RecordStatus.COMPLETED,
        [(RecordStatus.COMPLETED, [200]), (RecordStatus.COMPLETED, [OVERLOADED_AT[place], 200])],
    )
    assert (run.kind, run.model, run.trigger_message_id, run.tip_message_id) == (
        RunKind.TURN,
        model_at(place),
        1,
        3,
    )
    assert run.summary.first_message.startswith("What makes the tides?")
    # Something failed on the way, although it came right.
    assert (run.summary.step_count, run.summary.has_error) == (2, True)
    assert run.summary.usage.output_tokens == 80
    assert tried_twice.error is None
    assert [step.assistant_message_id for step in steps] == [2, 4]
    assert tried_twice.response["content"][-1]["text"] == "It is the moon."
    assert succeeded.response["content"][-1]["args"] == {"text": "moon", "api_key": "[hidden]"}
    whole = encode_text([run, steps])
    assert KEY not in whole
    assert b64encode(PNG).decode() not in whole
    # What the model makes up in the midst of its stream is kept as it came; it is in nothing that we sent.
    sent = [attempt.request for step in steps for attempt in step.attempts]
    assert "of-somebody" not in encode_text([sent, [(step.request, step.response) for step in steps]])


async def test_what_was_sent_can_be_read_and_files_are_only_named(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(SAYS)
        await world.ask("anthropic", "What is this?", picture=True)
        sent = world.asked[0]

        ((run, (step,)),) = await runs(world)

    (attempt,) = step.attempts
    assert attempt.request.method == "POST"
    assert attempt.request.url == world.fake.address + "/v1/messages"
    assert run.summary.endpoint == attempt.request.url
    assert attempt.request.headers["x-api-key"] == "[hidden]"
    assert attempt.request.headers["content-type"] == "application/json"
    *_, message = attempt.request.body["messages"]
    image = next(block for block in message["content"] if block["type"] == "image")
    assert image["source"]["data"] == f"[a file: image/png, {len(PNG)} bytes]"
    assert image["source"]["media_type"] == "image/png"
    assert {**attempt.request.body, "messages": ()} == {**sent.body, "messages": ()}
    assert attempt.response is not None
    assert attempt.response.body.startswith("event: message_start\n")
    assert attempt.response.body.endswith('data: {"type":"message_stop"}\n\n')
    assert step.request["messages"][0]["content"][0] == {"type": "text", "text": "What is this?"}


async def test_a_call_that_never_got_an_answer_says_why(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(Lost(), SAYS)
        await world.ask("anthropic", "Hello?")

        ((_, (step,)),) = await runs(world)

    lost, answered = step.attempts
    assert lost.response is None
    assert lost.error is not None
    assert lost.error.startswith("Server")
    assert answered.error is None


async def test_a_turn_that_fails_is_a_run_that_failed_with_the_reason(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(
            Complaint(fault=Fault.BAD_KEY, words=f"Wrong key {KEY}, see https://a:b@c.d/?key=e")
        )
        await world.ask("anthropic", "Hello?")

        ((run, steps),) = await runs(world)

    assert outline(run, steps) == (RecordStatus.ERROR, [(RecordStatus.ERROR, [401])])
    (error,) = [step.error for step in steps]
    assert error is not None
    assert (error.kind, error.status_code) == ("auth", 401)
    assert error.detail == "Wrong key …, see https://c.d/"


async def test_a_turn_that_is_stopped_keeps_what_was_heard_until_then(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(answer(say("Hel", "lo"), troubles=(Silence(after=5),)))
        await world.begin("anthropic", "Hello?")
        await world.until_heard("Hel")
        ((under_way, (open_step,)),) = await runs_so_far(world)
        await world.tell(Interrupt())

        ((run, steps),) = await runs(world)

    assert (under_way.status, open_step.status) == (RecordStatus.IN_PROGRESS, RecordStatus.IN_PROGRESS)
    assert outline(run, steps) == (RecordStatus.INTERRUPTED, [(RecordStatus.INTERRUPTED, [200])])
    (received,) = [attempt.response for step in steps for attempt in step.attempts]
    assert received is not None
    assert "Hel" in received.body


async def test_a_summary_by_the_way_is_a_step_and_one_that_was_asked_for_a_run(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(SAYS, answer(say("About the moon.")))
        await world.ask("anthropic", "What makes the tides?")
        await world.tell(RequestCompaction())

        _, (run, (step,)) = await runs(world)

    assert (run.kind, run.status, step.operation) == (
        RunKind.COMPACTION,
        RecordStatus.COMPLETED,
        Operation.SUMMARY,
    )


async def test_an_edit_takes_the_records_from_that_message_on_along(folder: Path) -> None:
    async with working(folder, recorder=recorder_of) as world:
        world.fake.will_say(SAYS, SAYS, SAYS)
        await world.ask("anthropic", "First?")
        await world.ask("anthropic", "Second?")
        second = (await world.messages())[2]
        await world.tell(EditMessage(message_id=second.id, content=said("Another?")))

        found = await runs(world)

    assert [run.summary.first_message for run, _ in found] == ["First?", "Another?"]


async def test_nothing_is_recorded_that_no_user_wants(folder: Path) -> None:
    async def never(_: UserId) -> bool:
        return False

    async with working(folder, recorder=lambda db: replace(recorder_of(db), wanted=never)) as world:
        world.fake.will_say(SAYS)
        await world.ask("anthropic", "Hello?")

        assert await runs(world) == []


class Broken:
    """A database of which some writes fail, from one of them on."""

    def __init__(self, db: Database, good: int) -> None:
        self._db = db
        self._good = good
        self.engine = db.engine
        self.failed = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self._good -= 1
        if self._good < 0:
            self.failed += 1
            raise OSError("The disk is full.")
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


@proves("loop", 52)
@pytest.mark.parametrize("good", range(6))
async def test_a_turn_does_not_notice_that_its_records_cannot_be_written(folder: Path, good: int) -> None:
    """Wherever in the turn it begins to fail: opening the run, telling of a call, closing the run."""
    broken: list[Broken] = []

    def recorder(db: Database) -> Recorder:
        broken.append(Broken(db, good))
        return replace(recorder_of(db), db=broken[0])

    with capture_logs() as logs:
        async with working(folder, recorder=recorder) as world:
            world.fake.will_say(CALLS, OVERLOADED, SAYS)
            chat = await world.ask("anthropic", "What makes the tides?")
            replies = [words_of(message) for message in await world.messages()]

    assert chat.status is Status.WAITING
    assert replies[-1] == "assistant: It is the moon."
    assert len(replies) == 4
    # Told once, and not tried again in this turn.
    assert [each["error"] for each in logs if each["event"] == "record.failed"] == ["OSError"]
    assert broken[0].failed == 1


PROMPT = "Never mention the merger of the deployment. " * 400
HEADERS = {"X-Cost-Center": "blue-team-4711", "x-short": "4711"}


@pytest.mark.parametrize("place", PLACES)
async def test_an_owner_is_shown_what_was_said_and_neither_the_prompt_nor_how_the_provider_is_reached(
    folder: Path, place: str
) -> None:
    repeated = Complaint(fault=Fault.OVERLOADED, words="Too much for blue-team-4711.")
    async with working(folder, recorder=recorder_of, system=(PROMPT, "Mine."), headers=HEADERS) as world:
        world.fake.will_say(Lost(), repeated, SAYS)
        await world.ask(place, "What makes the tides?")
        address = world.fake.address.removeprefix("http://")

        ((run, steps),) = await runs(world)

    kept = encode_text([run, steps])
    admin, owner = (
        encode_text([run_for(run, shows_wire=wire), [step_for(step, shows_wire=wire) for step in steps]])
        for wire in (True, False)
    )
    (step,) = [step_for(step, shows_wire=False) for step in steps]
    # Who operates the server reads what is kept; an administrator what is shown.
    for seen in (kept, admin, owner):
        assert "4711" not in seen
        assert KEY not in seen
    for seen in (kept, admin):
        assert address in seen
        assert "mention the merger" in seen
    assert address not in owner
    assert "/v1" not in owner
    assert "merger" not in owner
    assert "x-cost-center" not in owner.lower()
    assert step.request["system"] == [
        f"[left out: a prompt of {len(PROMPT)} characters]",
        "[left out: a prompt of 5 characters]",
    ]
    assert step.request["messages"][0]["content"][0]["text"] == "What makes the tides?"
    assert step.response["content"][-1]["text"] == "It is the moon."
    assert [each.response.status if each.response else None for each in step.attempts] == [
        None,
        OVERLOADED_AT[place],
        200,
    ]
