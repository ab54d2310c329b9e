"""Transitions per second and CPU per transition, against a bare transaction of the same writes.

    python -m bench.transitions [--seconds S] [--rounds N] [--sqlite | --postgres]

The bare transaction sends the same statements with the same values and does nothing else: no
decision, no decoding, no hint. Like every program with an event loop it leaves SQLite's waiting for the
disk to a thread. Cases alternate in one run and the median of the rounds counts, so that a noisy
machine disturbs both alike. Databases are durable: SQLite with synchronous=FULL, PostgreSQL with fsync.

Goals: at most 2.5 x bare on SQLite, 1.5 x on PostgreSQL, and a commit in a chat of 10,000 messages
at most 1.2 x one in a chat of 10.
"""

import argparse
import asyncio
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import asyncpg
import uvloop
from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import Text
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.storage.database import Database
from chatd.storage.migrate import migrate
from chatd.storage.postgres.database import COMMAND_SECONDS, CONNECTIONS_MAX, SERVER_SETTINGS, open_postgres
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.rows import execution_values, message_values
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, create_chat, transact
from tools.postgres import throwaway_postgres

OWNER = UserId("bench")
REPLY = Draft(role=Role.ASSISTANT, content=(Text(text="word " * 200),))
CONCURRENT = 50
LONG, SHORT = 10_000, 10

Case = Callable[[float], Awaitable[int]]


class Measure(Struct, frozen=True):
    """One round of one case."""

    count: int
    wall: float
    cpu: float

    @property
    def wall_micros(self) -> float:
        return self.wall / self.count * 1e6

    @property
    def cpu_micros(self) -> float:
        return self.cpu / self.count * 1e6


async def measure(case: Case, seconds: float) -> Measure:
    wall, cpu = time.perf_counter(), time.process_time()
    count = await case(seconds)
    return Measure(count, time.perf_counter() - wall, time.process_time() - cpu)


async def compare(cases: dict[str, Case], *, rounds: int, seconds: float) -> dict[str, Measure]:
    """Each case in turn, several times; the round with the median CPU speaks for it."""
    found: dict[str, list[Measure]] = {name: [] for name in cases}
    for case in cases.values():
        await measure(case, seconds / 5)
    for _ in range(rounds):
        for name, case in cases.items():
            found[name].append(await measure(case, seconds))
    return {
        name: Measure(1000, median(m.wall_micros for m in ms) / 1e3, median(m.cpu_micros for m in ms) / 1e3)
        for name, ms in found.items()
    }


def until(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


async def new_chat(store: Store, chat_id: str, messages: int = SHORT) -> ChatId:
    drafts = tuple(replace(REPLY, role=Role.USER) for _ in range(messages))
    await create_chat(store, CreateChat(id=ChatId(chat_id), owner_id=OWNER, messages=drafts))
    return ChatId(chat_id)


def our_case(store: Store, chats: list[ChatId]) -> Case:
    """One task per chat, each committing one step after the other."""

    async def run(seconds: float) -> int:
        going = until(seconds)

        async def drive(chat_id: ChatId) -> int:
            count = 0
            while going():
                await transact(store, chat_id, CommitStep(messages=(REPLY,)))
                count += 1
            return count

        return sum(await asyncio.gather(*(drive(chat_id) for chat_id in chats)))

    return run


class BareWrites:
    """The statements of one step, with values that were worked out before."""

    def __init__(
        self, engine: SqlEngine, chat_id: ChatId, template: Message, values: tuple[object, ...]
    ) -> None:
        self.chat_id = chat_id
        self.queries = queries_for(engine)
        self._message = message_values(chat_id, template)
        self._chat = values
        self._number = 1_000_000

    def statements(self) -> list[tuple[str, tuple[object, ...]]]:
        self._number += 1
        message = (self.chat_id, self._number, *self._message[2:])
        return [
            (self.queries["lock_chat"], (self.chat_id,)),
            (self.queries["insert_message"], message),
            (self.queries["save_chat"], self._chat),
        ]


async def bare_writes(store: Store, engine: SqlEngine, chat_id: str) -> BareWrites:
    done = await transact(store, await new_chat(store, chat_id), CommitStep(messages=(REPLY,)))
    chat = done.chat
    values = (chat.id, chat.updated_at, *execution_values(chat), chat.pin_order)
    return BareWrites(engine, chat.id, done.appended[0], values)


def bare_sqlite(raw: sqlite3.Connection, thread: Executor, lanes: list[BareWrites]) -> Case:
    def write(writes: BareWrites) -> None:
        raw.execute("BEGIN IMMEDIATE")
        for sql, values in writes.statements():
            raw.execute(sql, values).fetchall()
        raw.execute("COMMIT")

    async def run(seconds: float) -> int:
        going, loop = until(seconds), asyncio.get_running_loop()

        async def drive(writes: BareWrites) -> int:
            count = 0
            while going():
                await loop.run_in_executor(thread, write, writes)
                count += 1
            return count

        return sum(await asyncio.gather(*(drive(writes) for writes in lanes)))

    return run


def bare_postgres(pool: "asyncpg.Pool[asyncpg.Record]", lanes: list[BareWrites]) -> Case:
    async def run(seconds: float) -> int:
        going = until(seconds)

        async def drive(writes: BareWrites) -> int:
            count = 0
            while going():
                async with pool.acquire() as raw, raw.transaction():
                    for sql, values in writes.statements():
                        await raw.fetch(sql, *values)
                count += 1
            return count

        return sum(await asyncio.gather(*(drive(writes) for writes in lanes)))

    return run


async def measure_database(
    name: str,
    db: Database,
    bare: Callable[[list[BareWrites]], Case],
    options: argparse.Namespace,
    goal: float,
) -> None:
    await migrate(db)
    await db.write(lambda tx: tx.run("insert_user", OWNER, "bench", "member"))
    store = Store(db, MemoryBus())
    engine = db.engine
    chats = [await new_chat(store, f"ours {n}") for n in range(CONCURRENT)]
    lanes = [await bare_writes(store, engine, f"bare {n}") for n in range(CONCURRENT)]
    alone = {"bare, alone": bare(lanes[:1]), "ours, alone": our_case(store, chats[:1])}
    together = {f"bare, {CONCURRENT} chats": bare(lanes), f"ours, {CONCURRENT} chats": our_case(store, chats)}
    print(f"\n{name}")
    for cases in (alone, together):
        report(await compare(cases, rounds=options.rounds, seconds=options.seconds), goal)

    # A new chat for each round, so that "short" stays short.
    short = [await new_chat(store, f"short {n}", SHORT) for n in range(500)]
    long = await new_chat(store, "long", LONG)
    length = {
        f"a chat of {SHORT}": _spread(store, short),
        f"a chat of {LONG:,}": our_case(store, [long]),
    }
    report(await compare(length, rounds=options.rounds, seconds=options.seconds), 1.2)


def _spread(store: Store, chats: list[ChatId]) -> Case:
    """One after the other over many chats, none of which grows by much."""

    async def run(seconds: float) -> int:
        going, count = until(seconds), 0
        while going():
            await transact(store, chats[count % len(chats)], CommitStep(messages=(REPLY,)))
            count += 1
        return count

    return run


def report(measures: dict[str, Measure], goal: float) -> None:
    (floor_name, floor), (name, ours) = measures.items()
    for case, found in measures.items():
        print(f"  {case:22} {1e6 / found.wall_micros:8,.0f}/s {found.cpu_micros:8.0f} µs CPU")
    wall, cpu = ours.wall_micros / floor.wall_micros, ours.cpu_micros / floor.cpu_micros
    verdict = "met" if max(wall, cpu) <= goal else "missed"
    print(f"  {name} over {floor_name}: {cpu:.2f} x CPU, {wall:.2f} x wall (goal {goal} x: {verdict})")


async def sqlite_bench(options: argparse.Namespace) -> None:
    folder = Path(tempfile.mkdtemp(prefix="chatd-bench-"))
    path = folder / "chatd.db"
    try:
        async with open_sqlite(path, now_micros=SystemClock().now_micros) as db:
            raw = sqlite3.connect(path, isolation_level=None, cached_statements=256, check_same_thread=False)
            raw.create_function("chatd_now", 0, SystemClock().now_micros)
            for pragma in ("synchronous = FULL", "foreign_keys = ON", "busy_timeout = 5000"):
                raw.execute(f"PRAGMA {pragma}")
            with ThreadPoolExecutor(1) as thread:
                await measure_database(
                    "SQLite, synchronous=FULL",
                    db,
                    lambda lanes: bare_sqlite(raw, thread, lanes),
                    options,
                    goal=2.5,
                )
            raw.close()
    finally:
        shutil.rmtree(folder)


@asynccontextmanager
async def postgres_pair() -> AsyncIterator[tuple[Database, "asyncpg.Pool[asyncpg.Record]"]]:
    with throwaway_postgres(durable=True) as url:
        # The same connections as ours: what guards them is no part of a transition.
        async with (
            open_postgres(url) as db,
            asyncpg.create_pool(
                url,
                min_size=1,
                max_size=CONNECTIONS_MAX,
                command_timeout=COMMAND_SECONDS,
                server_settings=SERVER_SETTINGS,
            ) as pool,
        ):
            yield db, pool


async def postgres_bench(options: argparse.Namespace) -> None:
    async with postgres_pair() as (db, pool):
        await measure_database(
            "PostgreSQL, fsync", db, lambda lanes: bare_postgres(pool, lanes), options, goal=1.5
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1.5, help="how long each case runs in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sqlite", action="store_true", help="only SQLite")
    parser.add_argument("--postgres", action="store_true", help="only PostgreSQL")
    options = parser.parse_args()
    # On the loop that serves.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if not options.postgres:
            runner.run(sqlite_bench(options))
        if not options.sqlite:
            runner.run(postgres_bench(options))


if __name__ == "__main__":
    main()
