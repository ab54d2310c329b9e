"""Putting a chat away with all that work for it."""

import sqlite3
from pathlib import Path

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.archive import Archive, Unarchive
from chatd.domain.transitions.finish_turn import FinishTurn
from chatd.errors import BadInput, InvalidState, NotAllowed
from chatd.hints.hint import ChatChanged
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Database
from chatd.storage.read import read_chat
from chatd.storage.transact import Store, archive_family, create_chat, transact
from tests.clock import MovedClock
from tests.conftest import empty_sqlite
from tests.storage.hearing import hearing
from tests.traceability import proves
from tests.words import create

FAMILY = [ChatId(name) for name in ("root", "first", "second")]
ROOT, FIRST, SECOND = FAMILY


async def a_family(store: Store) -> None:
    """A root and two that work for it, all idle."""
    await create_chat(store, create(chat_id=ROOT))
    for child in (FIRST, SECOND):
        await create_chat(store, create(chat_id=child, parent=ROOT))
    for member in FAMILY:
        await transact(store, member, FinishTurn())


async def flags(database: Database) -> list[tuple[bool, int]]:
    chats = [await read_chat(database, member) for member in FAMILY]
    return [(chat.archived, chat.versions.snapshot) for chat in chats if chat is not None]


async def test_a_family_is_put_away_and_taken_back_together(store: Store, database: Database) -> None:
    await a_family(store)

    await archive_family(store, ROOT, Archive())
    assert await flags(database) == [(True, 3)] * 3

    await archive_family(store, ROOT, Unarchive())
    assert await flags(database) == [(False, 4)] * 3


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
