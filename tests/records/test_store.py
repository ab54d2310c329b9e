"""Records in both databases: written once, bounded, and gone with what they tell of."""

import asyncio

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.records.run import BUDGET_SECONDS, Operation, RecordStatus, RunKind, RunSummary, Step
from chatd.records.store import (
    PURGED_MAX,
    RUNS_MAX,
    STEPS_MAX,
    NewRun,
    Progress,
    close_run,
    list_runs,
    open_run,
    read_run,
    save_progress,
)
from chatd.storage.database import Database
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.families import archive_family
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import MovedClock
from tests.words import create, lease, said, says, send, step

CHAT = ChatId("chat")
DAY_SECONDS = 24 * 3600
LEASE = lease()


def run(run_id: str = "run", *, trigger: int = 1, tip: int | None = None, chat_id: ChatId = CHAT) -> NewRun:
    return NewRun(
        id=run_id,
        chat_id=chat_id,
        runner_id=LEASE.runner_id,
        kind=RunKind.TURN,
        provider="some",
        model="some/model",
        trigger_message_id=MessageId(trigger),
        tip_message_id=MessageId(tip or trigger),
    )


def told(number: int = 1, status: RecordStatus = RecordStatus.COMPLETED, words: str = "Hello.") -> Progress:
    step = Step(
        number=number,
        operation=Operation.REPLY,
        status=status,
        model="some/model",
        provider="some",
        history_version=1,
        started_at="then",
        response=words,
    )
    return Progress(summary=RunSummary(step_count=number), tip_message_id=MessageId(number), step=step)


@pytest.fixture
async def chat(store: Store) -> Chat:
    """One that is being driven."""
    await create_chat(store, create())
    return (await transact(store, CHAT, Acquire(lease=LEASE))).chat


async def names(database: Database, chat: Chat) -> list[str]:
    return [run.id for run in await list_runs(database, chat)]


async def test_a_run_is_written_bit_by_bit_and_read_whole(
    database: Database, chat: Chat, clock: MovedClock
) -> None:
    await open_run(database, run(), retention_days=30)
    await save_progress(database, "run", told(1, RecordStatus.IN_PROGRESS, "\0 \ud800"))
    await clock.advance(1)
    await save_progress(database, "run", told(1))
    await clock.advance(1)
    await close_run(database, "run", RecordStatus.COMPLETED, told(2))

    found = await read_run(database, chat, "run")

    assert found is not None
    ended, steps = found
    assert [ended] == await list_runs(database, chat)
    assert (ended.status, ended.kind, ended.summary.step_count) == (RecordStatus.COMPLETED, RunKind.TURN, 2)
    assert (ended.trigger_message_id, ended.tip_message_id) == (1, 2)
    assert ended.finished_at == ended.updated_at == ended.started_at + 2_000_000
    assert steps == [told(1).step, told(2).step]


async def test_any_text_can_be_kept(database: Database, chat: Chat) -> None:
    await open_run(database, run(), retention_days=30)
    await save_progress(database, "run", told(words="\0 \ud800 ü"))

    found = await read_run(database, chat, "run")

    assert found is not None
    assert found[1][0].response == "\0 \ud800 ü"


async def test_a_run_is_closed_once_and_takes_nothing_more(database: Database, chat: Chat) -> None:
    await open_run(database, run(), retention_days=30)
    await close_run(database, "run", RecordStatus.ERROR, told(1))
    await close_run(database, "run", RecordStatus.COMPLETED, told(1, words="Too late."))
    await save_progress(database, "run", told(2))

    found = await read_run(database, chat, "run")

    assert found is not None
    assert found[0].status is RecordStatus.ERROR
    assert found[1] == [told(1).step]


async def test_a_run_that_was_left_open_is_closed_by_the_next_one(database: Database, chat: Chat) -> None:
    await open_run(database, run("left"), retention_days=30)
    await save_progress(database, "left", told(1, RecordStatus.IN_PROGRESS))
    await open_run(database, run("next"), retention_days=30)

    found = await read_run(database, chat, "left")

    assert found is not None
    left, (step,) = found
    assert (left.status, step.status) == (RecordStatus.INTERRUPTED, RecordStatus.INTERRUPTED)
    assert left.finished_at is not None


async def test_a_run_whose_runner_is_gone_is_shown_as_interrupted(
    database: Database, chat: Chat, clock: MovedClock
) -> None:
    await open_run(database, run(), retention_days=30)
    await clock.advance(BUDGET_SECONDS + 1)

    (driven,) = await list_runs(database, chat)
    (left,) = await list_runs(database, replace(chat, lease=None))

    assert driven.status is RecordStatus.IN_PROGRESS
    assert left.status is RecordStatus.INTERRUPTED


async def test_a_run_of_a_long_call_is_not_interrupted_before_its_end_can_be_written(
    store: Store, database: Database, chat: Chat, clock: MovedClock
) -> None:
    await open_run(database, run(), retention_days=30)
    await clock.advance(BUDGET_SECONDS * 10)
    rests = (await transact(store, CHAT, FinishTurn())).chat
    assert rests.lease is None

    (listed,) = await list_runs(database, rests)
    found = await read_run(database, rests, "run")

    assert found is not None
    assert (listed.status, found[0].status) == (RecordStatus.IN_PROGRESS, RecordStatus.IN_PROGRESS)


async def test_runs_are_listed_from_the_newest_on_and_the_oldest_go(
    database: Database, chat: Chat, clock: MovedClock
) -> None:
    for number in range(RUNS_MAX + 3):
        await open_run(database, run(f"run-{number}"), retention_days=0)
        await clock.advance(1)

    assert await names(database, chat) == [f"run-{number}" for number in range(RUNS_MAX + 2, 2, -1)]


async def test_of_a_very_long_turn_the_newest_steps_are_kept(database: Database, chat: Chat) -> None:
    await open_run(database, run(), retention_days=30)
    for number in range(1, STEPS_MAX + 4):
        await save_progress(database, "run", told(number))

    found = await read_run(database, chat, "run")

    assert found is not None
    assert [step.number for step in found[1]] == list(range(4, STEPS_MAX + 4))
    assert found[0].summary.step_count == STEPS_MAX + 3


async def test_recording_and_deleting_records_do_not_wait_for_each_other_in_a_circle(
    store: Store, database: Database, chat: Chat
) -> None:
    async def record(number: int) -> None:
        await open_run(database, run(f"run-{number}"), retention_days=30)
        await save_progress(database, f"run-{number}", told())
        await close_run(database, f"run-{number}", RecordStatus.COMPLETED, None)

    async def put_away() -> None:
        for deed in (Archive(), Unarchive()) * 5:
            await archive_family(store, CHAT, deed)

    await transact(store, CHAT, FinishTurn())
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(record(number))
        group.create_task(put_away())

    found = await list_runs(database, chat)
    assert {each.status for each in found} <= {RecordStatus.COMPLETED, RecordStatus.INTERRUPTED}


async def test_old_runs_of_all_chats_go_a_few_at_a_time(
    store: Store, database: Database, chat: Chat, clock: MovedClock
) -> None:
    other = ChatId("other")
    await create_chat(store, create(chat_id=other))
    for number in range(PURGED_MAX + 2):
        await open_run(database, run(f"old-{number}"), retention_days=30)
    await clock.advance(31 * DAY_SECONDS)

    await open_run(database, run("for-good", chat_id=other), retention_days=0)
    assert len(await names(database, chat)) == PURGED_MAX + 2

    await open_run(database, run("first", chat_id=other), retention_days=30)
    assert len(await names(database, chat)) == 2

    await open_run(database, run("second", chat_id=other), retention_days=30)
    assert await names(database, chat) == []
    rows = await database.read(lambda tx: tx.all("debug_steps", "old-0"))
    assert list(rows) == []


async def test_records_go_with_their_chat(store: Store, database: Database, chat: Chat) -> None:
    await open_run(database, run(), retention_days=30)
    await save_progress(database, "run", told())

    await delete_chat(store, CHAT)

    assert await read_run(database, chat, "run") is None
    assert list(await database.read(lambda tx: tx.all("debug_steps", "run"))) == []


async def test_nothing_is_recorded_of_a_chat_that_is_gone(
    store: Store, database: Database, chat: Chat
) -> None:
    await delete_chat(store, CHAT)

    await open_run(database, run(), retention_days=30)
    await save_progress(database, "run", told())

    assert await names(database, chat) == []


async def test_records_go_when_their_chat_is_put_away(store: Store, database: Database, chat: Chat) -> None:
    await open_run(database, run(), retention_days=30)
    await transact(store, CHAT, FinishTurn())
    assert await names(database, chat) == ["run"]

    await archive_family(store, CHAT, Archive())

    assert await names(database, chat) == []


async def test_an_edit_takes_what_has_seen_the_message_and_a_switch_takes_nothing(
    store: Store, database: Database, chat: Chat
) -> None:
    await open_run(database, run("first", trigger=1), retention_days=30)
    await transact(store, CHAT, step(says("Hello.")), FinishTurn())
    await transact(store, CHAT, send("And now?"))
    # It began before the third message, which was steered into it.
    await open_run(database, run("steered", trigger=2, tip=3), retention_days=30)
    await open_run(database, run("second", trigger=3), retention_days=30)

    edited = EditMessage(message_id=MessageId(3), content=said("And then?"))
    await transact(store, CHAT, edited)
    assert await names(database, chat) == ["first"]

    await open_run(database, run("edited", trigger=4), retention_days=30)
    await transact(store, CHAT, FinishTurn())
    await transact(store, CHAT, SwitchBranch(branch=chat.branch))
    assert set(await names(database, chat)) == {"first", "edited"}
    assert await read_chat(database, CHAT) is not None
