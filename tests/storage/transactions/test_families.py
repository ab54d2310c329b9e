"""Putting a chat away with all that work for it."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.domain.approvals.rule import AddRule, KeptRule
from chatd.domain.call import Effect, Plan
from chatd.domain.chat import Status
from chatd.domain.family import FamilyLimits, SpawnCall, child_id_of
from chatd.domain.ids import CallId, ChatId, Micros
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import BadInput, InvalidState, LimitReached, NotAllowed
from chatd.hints.hint import ChatChanged, ChildChanged
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Database
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.rules import read_rules
from chatd.storage.transactions.families import (
    archive_family,
    interrupt_family,
    read_all_children,
    read_children,
    spawn_child,
)
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.conftest import empty_sqlite
from tests.storage.transactions.hearing import hearing
from tests.traceability import proves
from tests.words import OWNER, allows, asks_first, call, create, denies, says, send, step

FAMILY = [ChatId(name) for name in ("root", "first", "second")]
ROOT, FIRST, SECOND = FAMILY


async def a_family(store: Store) -> None:
    """A root and two that work for it, all idle."""
    await create_chat(store, create(chat_id=ROOT))
    for child in (FIRST, SECOND):
        await create_chat(store, create(chat_id=child, parent=ROOT))
    for member in FAMILY:
        await transact(store, member, FinishTurn())


async def a_running_root(store: Store) -> SpawnCall:
    """A root in the middle of a call that creates a child."""
    await create_chat(store, create(chat_id=ROOT))
    plan = Plan(call_id=CallId("spawn"), effect=Effect.REPEATABLE)
    done = await transact(store, ROOT, step(says("I delegate.", call("spawn", "spawn_agent")), plans=(plan,)))
    return SpawnCall(parent_id=ROOT, message_id=done.appended[-1].id, call_id=CallId("spawn"))


def child_of(spawn: SpawnCall) -> CreateChat:
    return replace(create(chat_id=child_id_of(spawn), parent=ROOT), agent_type=AgentType.EXPLORE)


async def flags(database: Database) -> list[tuple[bool, int]]:
    """Whether each is away, and how often it has changed; a child that was added to it is no such change."""
    chats = [await read_chat(database, member) for member in FAMILY]
    return [(chat.archived, chat.versions.snapshot - chat.children) for chat in chats if chat is not None]


async def test_a_family_is_put_away_and_taken_back_together(store: Store, database: Database) -> None:
    await a_family(store)

    await archive_family(store, ROOT, Archive())
    assert await flags(database) == [(True, 3)] * 3

    await archive_family(store, ROOT, Unarchive())
    assert await flags(database) == [(False, 4)] * 3


async def test_a_parent_tells_how_many_work_for_it_and_who_of_them_waits(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    await a_family(store)
    asks = (step(says("May I?", call("a", "execute")), plans=(asks_first("a"),)), RequireAction())

    with hearing(bus) as heard:
        await transact(store, FIRST, send("go on"))
        await transact(store, SECOND, send("go on"), *asks)
        told = [hint.chat_id for hint in heard() if isinstance(hint, ChildChanged)]

    assert told == [ROOT, ROOT]
    root, child = await read_chat(database, ROOT), await read_chat(database, FIRST)
    assert root is not None
    assert child is not None
    found = await read_all_children(database, (root, child))
    assert [*found] == [ROOT]
    assert (found[ROOT].count, found[ROOT].at_work) == (2, 1)
    assert [(each.chat.id, [call.id for call in each.calls]) for each in found[ROOT].waiting] == [
        (SECOND, ["a"])
    ]


@proves("api", 21)
@proves("state-machine", 41)
async def test_one_busy_member_keeps_the_whole_family_out(store: Store, database: Database) -> None:
    await a_family(store)
    await create_chat(store, create(chat_id="busy", parent=ROOT))

    with pytest.raises(NotAllowed, match="Cannot archive now"):
        await archive_family(store, ROOT, Archive())

    assert await flags(database) == [(False, 2)] * 3


@proves("state-machine", 43)
async def test_members_that_are_away_already_are_told_all_the_same(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    await a_family(store)
    await transact(store, SECOND, Archive())

    with hearing(bus) as heard:
        await archive_family(store, ROOT, Archive())
        told = [hint.chat_id for hint in heard() if isinstance(hint, ChatChanged)]

    assert told == FAMILY
    assert await flags(database) == [(True, 3), (True, 3), (True, 4)]


@proves("state-machine", 44)
async def test_a_child_is_not_put_away_by_itself(store: Store) -> None:
    await a_family(store)

    with pytest.raises(BadInput, match="works for another one"):
        await archive_family(store, FIRST, Archive())


@proves("state-machine", 42)
async def test_one_damaged_member_keeps_the_whole_family_as_it_is(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, bus: MemoryBus
) -> None:
    """No transition makes such a row and the schema refuses it, so the damage is done past both."""
    path = tmp_path / "chatd.db"
    async with empty_sqlite(sqlite_template, path, clock) as db:
        store = Store(db, bus)
        await a_family(store)
        with sqlite3.connect(path) as raw:
            raw.execute("PRAGMA ignore_check_constraints = ON")
            raw.execute("UPDATE chats SET archived = TRUE, status = 'running' WHERE id = ?", (SECOND,))
        raw.close()

        with pytest.raises(InvalidState, match="inconsistent"):
            await archive_family(store, ROOT, Archive())

        assert await flags(db) == [(False, 2), (False, 2), (True, 2)]


async def test_a_call_that_is_run_again_finds_the_child_it_made(store: Store, database: Database) -> None:
    spawn = await a_running_root(store)

    first = await spawn_child(store, child_of(spawn), spawn, FamilyLimits())
    await transact(store, first.chat.id, FinishTurn())
    again = await spawn_child(store, child_of(spawn), spawn, FamilyLimits())

    (child,) = await read_children(database, ROOT)
    assert (child.parent_id, child.root_id, child.agent_type) == (ROOT, ROOT, AgentType.EXPLORE)
    assert child == again.chat
    assert child.versions.snapshot == 2


async def test_two_that_run_the_same_call_at_once_make_one_child(store: Store, database: Database) -> None:
    spawn = await a_running_root(store)

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(spawn_child(store, child_of(spawn), spawn, FamilyLimits()))

    assert len(await read_children(database, ROOT)) == 1


async def test_calls_at_once_do_not_pass_a_limit_together(store: Store, database: Database) -> None:
    await create_chat(store, create(chat_id=ROOT))
    names = [f"spawn {n}" for n in range(5)]
    plans = tuple(Plan(call_id=CallId(name), effect=Effect.REPEATABLE) for name in names)
    reply = says("I delegate.", *(call(name, "spawn_agent") for name in names))
    message_id = (await transact(store, ROOT, step(reply, plans=plans))).appended[-1].id
    spawns = [SpawnCall(parent_id=ROOT, message_id=message_id, call_id=CallId(name)) for name in names]
    limits = FamilyLimits(at_work_max=2)

    made = await asyncio.gather(
        *(spawn_child(store, child_of(spawn), spawn, limits) for spawn in spawns), return_exceptions=True
    )

    assert sum(isinstance(each, LimitReached) for each in made) == 3
    assert len(await read_children(database, ROOT)) == 2


async def test_a_stop_that_comes_first_keeps_a_child_from_being_created(
    store: Store, database: Database
) -> None:
    spawn = await a_running_root(store)
    await interrupt_family(store, ROOT, Interrupt())

    with pytest.raises(NotAllowed, match="is over"):
        await spawn_child(store, child_of(spawn), spawn, FamilyLimits())

    assert await read_children(database, ROOT) == ()


async def test_a_stop_reaches_the_family_in_one_transaction(
    store: Store, database: Database, bus: MemoryBus
) -> None:
    await a_family(store)
    await transact(store, SECOND, send("again"))

    with hearing(bus) as heard:
        root = await interrupt_family(store, ROOT, Interrupt())
        told = [(hint.chat_id, hint.status) for hint in heard() if isinstance(hint, ChatChanged)]

    assert root is None
    assert told == [(SECOND, Status.INTERRUPTING)]


async def test_nothing_is_stopped_in_a_family_at_rest(store: Store) -> None:
    await a_family(store)

    with pytest.raises(NotAllowed, match="Cannot interrupt now"):
        await interrupt_family(store, ROOT, Interrupt())


async def test_what_was_allowed_to_a_chat_is_allowed_to_those_that_work_for_it(
    store: Store, database: Database
) -> None:
    await a_family(store)
    of_root, of_child = allows("execute", "make"), denies("execute", "make clean")
    await transact(
        store, ROOT, ChangeRules(changes=(AddRule(kept=KeptRule(rule=of_root, created_at=Micros(1))),))
    )
    await transact(
        store, FIRST, ChangeRules(changes=(AddRule(kept=KeptRule(rule=of_child, created_at=Micros(1))),))
    )

    assert (await read_rules(database, OWNER, FIRST)).chat == (of_child, of_root)
    assert (await read_rules(database, OWNER, SECOND)).chat == (of_root,)
    assert (await read_rules(database, OWNER, ROOT)).chat == (of_root,)
