"""What is SQLite's own: the writer thread, group commit, running without threads."""

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.errors import Unavailable, Unusable
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.reads.read import read_chat
from chatd.storage.sqlite.database import SQLite, _connect, open_sqlite
from chatd.storage.sqlite.writer import GROUP_MAX, QUICK_GROUP_MAX, QUICK_GROUPS_FIRST_MAX
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.conftest import empty_sqlite
from tests.support.counted import counting
from tests.words import create, send

# Where a transaction is run: in the writer's thread, or in the event loop.
everywhere = pytest.mark.parametrize("pace", [Pace.USUAL, Pace.QUICK], ids=lambda pace: pace.name.lower())


@everywhere
async def test_transactions_that_wait_together_are_committed_together(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace
) -> None:
    path = tmp_path / "chatd.db"
    async with empty_sqlite(sqlite_template, path, clock) as db:
        seen_outside: list[int] = []

        async def body(tx: Connection) -> None:
            # Whoever looks from outside sees nothing of a group until all of it is committed.
            seen_outside.append(_rows(path))
            name = f"user {len(seen_outside)}"
            await tx.run("insert_user", name, name, "member")

        await asyncio.gather(*[db.write(body, pace=pace) for _ in range(10)])

        assert len(set(seen_outside)) < 10
        assert _rows(path) == 11


@everywhere
async def test_one_failure_in_a_group_does_not_touch_the_others(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:

        async def body(tx: Connection, name: str) -> None:
            await tx.run("insert_user", name, name, "member")
            if name == "bad":
                raise RuntimeError("not this one")

        async def write(name: str) -> str:
            await db.write(lambda tx: body(tx, name), pace=pace)
            return name

        outcomes = await asyncio.gather(*[write(n) for n in ("a", "bad", "b")], return_exceptions=True)

        assert [str(outcome) for outcome in outcomes] == ["a", "not this one", "b"]
        rows = await db.read(lambda tx: tx.one("user_named", "bad"))
        assert rows is None


async def test_more_than_a_group_is_waiting_and_all_get_their_answer(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        store = Store(db, MemoryBus())
        names = [f"chat {n}" for n in range(GROUP_MAX + 10)]

        dones = await asyncio.gather(*[create_chat(store, create(chat_id=name)) for name in names])

        assert [done.chat.id for done in dones] == names


@everywhere
async def test_a_caller_who_gives_up_does_not_undo_the_commit(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        async with asyncio.TaskGroup() as group:
            insert = db.write(lambda tx: tx.run("insert_user", "u", "u", "member"), pace=pace)
            task = group.create_task(insert)
            await asyncio.sleep(0)
            task.cancel()

        # The writer takes one after the other, so what was handed over before is committed by now.
        assert await db.write(lambda tx: tx.one("user_named", "u")) is not None


async def test_without_threads_everything_happens_where_it_is_asked_for(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock, inline=True) as db:
        store = Store(db, MemoryBus())
        await create_chat(store, create())
        done = await transact(store, ChatId("chat"), send("later"))

        assert await read_chat(db, ChatId("chat")) == done.chat


async def test_without_threads_a_failed_body_is_undone(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock, inline=True) as db:

        async def body(tx: Connection) -> None:
            await tx.run("insert_user", "u", "u", "member")
            raise RuntimeError("no")

        with pytest.raises(RuntimeError):
            await db.write(body)

        assert await db.read(lambda tx: tx.one("user_named", "u")) is None


@everywhere
async def test_a_body_that_waits_for_anything_else_is_a_bug(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:

        async def body(_: Connection) -> None:
            await asyncio.sleep(0)

        with pytest.raises(AssertionError, match="waited for something other than its connection"):
            await db.write(body, pace=pace)


async def dangle(tx: Connection) -> None:
    """Leaves a row that refers to nobody, which only the commit complains about."""
    await tx.script("PRAGMA defer_foreign_keys = ON;")
    await tx.run("insert_token", "hash", "nobody", "name")


@everywhere
@pytest.mark.parametrize("inline", [True, False])
async def test_a_commit_that_fails_is_told_and_undone(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace, *, inline: bool
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock, inline=inline) as db:
        with pytest.raises(sqlite3.IntegrityError):
            await db.write(dangle, pace=pace)

        assert await db.read(lambda tx: tx.one("user_of_token", "hash", 0)) is None
        await db.write(lambda tx: tx.run("insert_user", "u", "u", "member"))
        assert _rows(tmp_path / "chatd.db") == 2


async def test_a_commit_that_fails_is_told_to_everyone_in_the_group(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        loop, begun, together = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        async def wait(_: Connection) -> None:
            loop.call_soon_threadsafe(begun.set)
            together.wait()

        async def insert(tx: Connection) -> None:
            await tx.run("insert_user", "u", "u", "member")

        # While the first one keeps the writer, the others come together.
        first = asyncio.create_task(db.write(wait))
        await begun.wait()
        others = [asyncio.create_task(db.write(body)) for body in (insert, dangle, wait)]
        await asyncio.sleep(0)
        together.set()
        outcomes = await asyncio.gather(*others, return_exceptions=True)

        await first
        assert [type(outcome) for outcome in outcomes] == [sqlite3.IntegrityError] * 3
        await db.write(insert)
        assert _rows(tmp_path / "chatd.db") == 2


class Moody(sqlite3.Connection):
    """Fails at certain words, once for each error that is given to it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.troubles: dict[str, list[BaseException]] = {}

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if troubles := self.troubles.get(sql):
            raise troubles.pop(0)
        return super().execute(sql, *args)


@asynccontextmanager
async def moody(template: Path, path: Path, clock: MovedClock) -> AsyncIterator[tuple[SQLite, Moody, Moody]]:
    """A database, its writer's connection, and that of its only reader."""
    shutil.copy(template, path)

    def connect() -> Moody:
        raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Moody)
        raw.create_function("chatd_now", 0, clock.now_micros)
        return raw

    writer, reader = connect(), connect()
    db = SQLite(writer, [reader])
    yield db, writer, reader
    await db.close()


TROUBLES = [MemoryError(), sqlite3.OperationalError("disk I/O error"), KeyboardInterrupt()]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: type(trouble).__name__)
@pytest.mark.parametrize("words", ["BEGIN IMMEDIATE", "COMMIT"])
@everywhere
async def test_the_writer_survives_whatever_happens_to_it(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, pace: Pace, words: str, trouble: BaseException
) -> None:
    async with moody(sqlite_template, tmp_path / "chatd.db", clock) as (db, writer, _):

        async def insert(tx: Connection) -> None:
            await tx.run("insert_user", "u", "u", "member")

        # Undoing it fails as well, and has to be done before the next one begins.
        # A quick one that cannot begin is begun once more by the thread, and fails there.
        writer.troubles = {words: [trouble] * 2, "ROLLBACK": [sqlite3.OperationalError("disk I/O error")]}
        with pytest.raises(type(trouble)):
            await db.write(insert, pace=pace)
        writer.troubles = {"ROLLBACK": writer.troubles["ROLLBACK"]}

        await db.write(lambda tx: tx.one("now"), pace=pace)
        assert await db.read(lambda tx: tx.one("user_named", "u")) is None
        await db.write(insert, pace=pace)
        assert await db.read(lambda tx: tx.one("user_named", "u")) is not None


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: type(trouble).__name__)
@pytest.mark.parametrize("words", ["BEGIN", "ROLLBACK"])
async def test_a_reader_survives_whatever_happens_to_it_and_then_sees_what_is_new(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, words: str, trouble: BaseException
) -> None:
    async with moody(sqlite_template, tmp_path / "chatd.db", clock) as (db, _, reader):
        reader.troubles = {words: [trouble]}
        with pytest.raises(type(trouble)):
            await db.read(lambda tx: tx.one("user_named", "u"))
        await db.write(lambda tx: tx.run("insert_user", "u", "u", "member"))

        assert await db.read(lambda tx: tx.one("user_named", "u")) is not None


async def test_a_quick_transaction_waits_for_another_program_without_holding_up_the_event_loop(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    path = tmp_path / "chatd.db"
    async with empty_sqlite(sqlite_template, path, clock) as db:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        insert = db.write(lambda tx: tx.run("insert_user", "u", "u", "member"), pace=Pace.QUICK)
        async with asyncio.TaskGroup() as group:
            written = group.create_task(insert)
            # This can only happen while the write waits.
            for _ in range(10):
                assert await db.read(lambda tx: tx.one("user_named", "u"), pace=Pace.QUICK) is None
                await asyncio.sleep(0)
            assert not written.done()
            other.execute("COMMIT")
        other.close()

        assert await db.read(lambda tx: tx.one("user_named", "u"), pace=Pace.QUICK) is not None


async def test_transactions_of_a_pace_are_committed_in_the_order_in_which_they_were_asked_for(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    paces = [Pace.QUICK, Pace.USUAL, Pace.USUAL, Pace.QUICK, Pace.QUICK, Pace.USUAL] * 20
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        order = await _order_of(db, paces)

        assert sorted(order) == list(range(len(paces)))
        for pace in Pace:
            assert [n for n in order if paces[n] is pace] == [
                n for n, each in enumerate(paces) if each is pace
            ]


async def test_a_quick_transaction_does_not_wait_for_all_longer_ones_before_it(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    longer = 3 * GROUP_MAX
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        order = await _order_of(db, [*[Pace.USUAL] * longer, Pace.QUICK])

        assert order[0] == longer


async def test_a_longer_transaction_has_its_turn_however_many_quick_ones_there_are(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    quick = 3 * QUICK_GROUP_MAX * QUICK_GROUPS_FIRST_MAX
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        order = await _order_of(db, [Pace.USUAL, *[Pace.QUICK] * quick])

        assert order.index(0) == QUICK_GROUP_MAX * QUICK_GROUPS_FIRST_MAX


async def _order_of(db: Database, paces: Sequence[Pace]) -> list[int]:
    """In which order transactions are run that were asked for at once, by their numbers."""
    order: list[int] = []

    async def body(_: Connection, number: int) -> None:
        order.append(number)

    await asyncio.gather(*[db.write(partial(body, number=n), pace=pace) for n, pace in enumerate(paces)])
    return order


async def test_a_usual_transaction_leaves_the_event_loop_free(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        loop, may_end = asyncio.get_running_loop(), threading.Event()
        begun = asyncio.Event()

        async def long(_: Connection) -> None:
            loop.call_soon_threadsafe(begun.set)
            may_end.wait()

        async with asyncio.TaskGroup() as group:
            group.create_task(db.write(long))
            # Set by the event loop while the transaction is under way.
            await begun.wait()
            may_end.set()


async def test_a_closed_database_says_so(sqlite_template: Path, tmp_path: Path, clock: MovedClock) -> None:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        pass

    for ask in (db.write, db.read):
        with pytest.raises(Unavailable, match="closed"):
            await ask(lambda tx: tx.one("now"))


async def test_what_is_not_a_database_is_named(tmp_path: Path, clock: MovedClock) -> None:
    path = tmp_path / "chatd.db"
    path.write_text("this is a poem, not a database, and long enough to be taken for one" * 100)

    with pytest.raises(Unusable, match="Cannot open the database"):
        async with open_sqlite(path, now_micros=clock.now_micros):
            pass


def test_commits_are_durable_and_references_are_kept(tmp_path: Path, clock: MovedClock) -> None:
    raw = _connect(tmp_path / "chatd.db", clock.now_micros)
    pragmas = {
        name: raw.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("synchronous", "journal_mode", "foreign_keys")
    }
    raw.close()

    full = 2
    assert pragmas == {"synchronous": full, "journal_mode": "wal", "foreign_keys": 1}


def _rows(path: Path) -> int:
    with sqlite3.connect(path) as other:
        count: int = other.execute("SELECT count(*) FROM users").fetchone()[0]
    other.close()
    return count


async def test_only_transactions_that_have_to_wait_are_counted_as_waiting(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    async def body(tx: Connection) -> None:
        await tx.one("now")

    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        with counting() as alone:
            await db.write(body)
            await db.read(body)
        with counting() as together:
            await asyncio.gather(db.write(body), db.write(body), db.write(body))

    assert "chatd_database_wait_seconds_count" not in alone
    assert together["chatd_database_wait_seconds_count"] == 2
