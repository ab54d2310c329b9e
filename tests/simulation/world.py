"""Two servers on one database, users and viewers who do what they like, and everything that can go wrong.

Each server is whole: API, worker, bus, board, part log, poller. Users and viewers reach it over HTTP,
without sockets. A crash makes everything in its memory disappear between two awaits; a moment later a
new one starts. What tools do to the outside world, what models say, where each chat was and what users
were promised is remembered outside of all processes.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec

from chatd.domain.approvals.rule import Rule
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId
from chatd.hints.memory import MemoryBus
from chatd.kit import ids
from chatd.live import streams
from chatd.live.episodes import log as part_log
from chatd.live.episodes.log import SWEEP_SECONDS
from chatd.live.lists.others import others
from chatd.storage.reads.read import Everything, read_chat, read_everything
from chatd.storage.transactions.transact import Store, create_chat
from chatd.worker import worker as workers
from chatd.worker.worker import TAKEN_AT_ONCE_MAX
from tests.simulation.chaos import JUMP_EVERY_SECONDS, JUMP_SECONDS, WHOLE, Chaos, Story, Violation
from tests.simulation.checks.viewers import difference
from tests.simulation.people.answers import Decisions
from tests.simulation.people.long_user import LongPromises, LongUser
from tests.simulation.people.settings import change_prompt
from tests.simulation.people.user import Promises, User
from tests.simulation.people.viewer import Viewer
from tests.simulation.servers.disk import Disk
from tests.simulation.servers.equipment import as_it_is, for_long_work
from tests.simulation.servers.fleet_bus import SimulatedPostgres
from tests.simulation.servers.life import register
from tests.simulation.servers.one_database import emptied_database, fill_database
from tests.simulation.servers.process import Process
from tests.simulation.servers.wire import Carrier, Wire
from tests.simulation.witnesses.chronicle import Chronicle, RecordedSQLite
from tests.simulation.witnesses.witness import Witness
from tests.support.virtual import VirtualClock, running_loop
from tests.words import create, user

PROCESSES = 2
REST_SECONDS = 4 * 3600
# Longer than the slowest viewer sleeps and the poller waits.
CONVERGENCE_SECONDS = 120
# Longer than from one look of a process of a fleet at what others may have left to the next.
TIDY_SECONDS = 2 * SWEEP_SECONDS
# More than ever is tried for one history, even when crashes and stops add theirs.
ATTEMPTS_MAX = 100
# How often, of a hundred incarnations, a server is asked to end in order, and how long it lives then.
RESTARTS = 30.0
RESTART_SECONDS = (2.0, 40.0)
# How often a process of a fleet writes down what is said; at the pace of a server it would do little else.
RELAY_SECONDS = 0.25
# How often a worker looks for chats that nobody told it of. Hints are lost much more often than it looks.
LOOK_SECONDS = 5.0
# How often streams ask whether their viewers may go on: in no story may one of them not.
TICK_SECONDS = 5
# How often a process looks for grants that end: in no story is a chat shared.
ENDS_SECONDS = 60.0

_LEFT_OVER = """
SELECT l.chat_id, l.history, l.attempt, c.history_version
  FROM logged_parts l
  JOIN chats c ON c.id = l.chat_id
 WHERE l.history < c.history_version
"""


class World:
    def __init__(self, seed: int, story: Story = WHOLE) -> None:
        self.chaos = Chaos(seed, story)
        self.clock = VirtualClock(running_loop())
        self.witness = Witness()
        self.promises = Promises()
        self.decisions = Decisions()
        self.long_promises = LongPromises()
        self.disk = Disk()
        self.viewers: list[Viewer] = []
        self.raw = emptied_database()
        self.chronicle = Chronicle(self.raw, self._meet)
        self.db = RecordedSQLite(self.raw, self.chronicle)
        carrier = SimulatedPostgres if self.chaos.has_fleet else Wire
        self.wire: Carrier = carrier(self.chaos, self.raw)
        self.stop = asyncio.Event()
        self._processes: list[Process] = []
        self._attending: asyncio.TaskGroup | None = None
        self._outside = contextvars.copy_context()
        self._watching: list[asyncio.Task[None]] = []

    async def run(self) -> dict[ChatId, Everything]:
        """Users, viewers, processes and faults; then calm, until everything has come to rest."""
        running_loop().on_task = register
        with self._owning_chance_and_time():
            await fill_database(self.db)
            if self.chaos.has_unreadable:
                await create_unreadable(self.db)
            async with asyncio.TaskGroup() as group:
                self._attending = group
                places = [group.create_task(self._place(n)) for n in range(PROCESSES)]
                if self.chaos.has_jumps:
                    self._watching.append(group.create_task(self._jump()))
                users = [self._user() for _ in range(self.chaos.story.users)]
                async with asyncio.TaskGroup() as deeds:
                    for user in users:
                        deeds.create_task(user.run())
                self.chaos.calm = True
                self.wire.check()
                if not self.chaos.has_absent_clients:
                    self._watching += [group.create_task(user.stay()) for user in users]
                await self._come_to_rest()
                await self._converge()
                if self.chaos.has_fleet:
                    await self._tidy_up()
                    await change_prompt(self._processes, self.clock)
                await self._end(places)
        return {chat_id: await self._stored(chat_id) for chat_id in self.chronicle.of_chat}

    async def run_alone(self, tell: Callable[[], Awaitable[None]]) -> dict[ChatId, Everything]:
        """One process at a time, and no users: what is told happens, until everything has come to rest."""
        running_loop().on_task = register
        with self._owning_chance_and_time():
            async with asyncio.TaskGroup() as group:
                self._attending = group
                await tell()
                place = group.create_task(self._place(0))
                await self._come_to_rest()
                await self._converge()
                await self._end([place])
        return {chat_id: await self._stored(chat_id) for chat_id in self.chronicle.of_chat}

    @contextmanager
    def _owning_chance_and_time(self) -> Iterator[None]:
        """New ids come from the system's clock and chance; here from ours, so that a seed replays."""
        chance = SimpleNamespace(take=self.chaos.chance.randbytes)
        time = SimpleNamespace(time_ns=lambda: self.clock.now_micros() * 1000)
        with (
            patch.object(ids, "_randomness", chance),
            patch.object(ids, "time", time),
            patch.object(part_log, "RELAY_SECONDS", RELAY_SECONDS),
            patch.object(workers, "LOOK_SECONDS", LOOK_SECONDS),
            patch.object(streams, "TICK_SECONDS", TICK_SECONDS),
            patch.object(others, "ENDS_SECONDS", ENDS_SECONDS),
        ):
            yield

    def _user(self) -> User:
        known = (self.chaos, self.promises, self.decisions, self._somewhere)
        return LongUser(*known, self.long_promises) if self.chaos.has_long_work else User(*known)

    # Processes.

    async def _place(self, number: int) -> None:
        """One server after the other, in the same place, until the story is over."""
        incarnation = 0
        while not self.stop.is_set():
            incarnation += 1
            await self._incarnation(f"process {number}.{incarnation}")
            await asyncio.sleep(self.chaos.chance.uniform(0.1, 2.0))

    def process(self, name: str) -> Process:
        return Process(
            name,
            self.db,
            chaos=self.chaos,
            wire=self.wire,
            clock=self.clock,
            witness=self.witness,
            disk=self.disk if self.chaos.has_workspaces else None,
            equip=for_long_work if self.chaos.has_long_work else as_it_is,
        )

    async def _incarnation(self, name: str) -> None:
        process = self.process(name)
        # A server that is told to end while the database is away loses what it holds, as it should.
        if not self.chaos.has_absence and self.chaos.strikes(RESTARTS):
            seconds = self.chaos.chance.uniform(*RESTART_SECONDS)
            asyncio.get_running_loop().call_later(seconds, process.stop.set)
        self._processes.append(process)
        await process.run()
        self._processes.remove(process)

    async def _jump(self) -> None:
        """Somebody sets the clock, again and again: leases end at once, or last much longer."""
        while True:
            await asyncio.sleep(self.chaos.chance.uniform(*JUMP_EVERY_SECONDS))
            if self.chaos.calm:
                return
            self.clock.put_back(self.chaos.chance.uniform(*JUMP_SECONDS))
            for process in self._processes:
                self.chaos.noted(process.life.name, "work", "jump")

    async def _somewhere(self) -> Process:
        """A living process. Nobody is turned away for good: sooner or later there is one."""
        while not (living := [process for process in self._processes if process.accepts]):
            await self.clock.sleep(0.1)
        return self.chaos.chance.choice(living)

    async def _end(self, places: list[asyncio.Task[None]]) -> None:
        for watching in self._watching:
            watching.cancel()
        self.stop.set()
        for process in self._processes:
            process.stop.set()
        await asyncio.wait(places)

    # Viewers.

    def _meet(self, chat_id: ChatId) -> None:
        """Every chat has a viewer as soon as it is there."""
        assert self._attending is not None
        viewer = Viewer(chat_id, self.chaos, self._somewhere)
        self.viewers.append(viewer)
        # Not in the life of the process that has just committed: it would be killed with it.
        self._watching.append(self._attending.create_task(viewer.run(), context=self._outside))

    async def _converge(self) -> None:
        """At rest every viewer's picture is what the database says, a little later at the latest."""
        try:
            async with asyncio.timeout(CONVERGENCE_SECONDS):
                while any(difference(self.raw, viewer) for viewer in self.viewers):
                    await self.clock.sleep(1)
        except TimeoutError as error:
            found = [words for viewer in self.viewers if (words := difference(self.raw, viewer))]
            raise Violation(f"a viewer does not converge: {found}") from error

    async def _tidy_up(self) -> None:
        """Nothing stays in the part log that was saved or said anew, whoever died before it was removed."""
        try:
            async with asyncio.timeout(TIDY_SECONDS):
                while self._left_over():
                    await self.clock.sleep(5)
        except TimeoutError as error:
            raise Violation(f"rows of the part log are not removed: {self._left_over()}") from error

    def _left_over(self) -> list[Any]:
        return self.raw.execute(_LEFT_OVER).fetchall()

    # Looking.

    async def _come_to_rest(self) -> None:
        """Every turn ends: within hours of calm nobody works and nothing waits but for a person."""
        try:
            async with asyncio.timeout(REST_SECONDS):
                while not all([_rests(await self._chat(chat_id)) for chat_id in self.chronicle.of_chat]):
                    self._check_attempts()
                    await self.clock.sleep(5)
        except TimeoutError as error:
            states = [states[-1] for states in self.chronicle.of_chat.values()]
            raise Violation(f"a turn does not end: {states}") from error

    def _check_attempts(self) -> None:
        """What is refused again and again is not paid for again and again."""
        most = max((attempt.number for attempt in self.witness.attempts), default=0)
        if most > ATTEMPTS_MAX:
            raise Violation(f"one history was attempted {most} times")

    def user_rules(self) -> list[Rule]:
        """Of the account of all users."""
        rows = self.raw.execute("SELECT rule FROM user_rules ORDER BY position").fetchall()
        return [msgspec.json.decode(row[0], type=Rule) for row in rows]

    async def _chat(self, chat_id: ChatId) -> Chat | None:
        return await read_chat(self.db, chat_id)

    async def _stored(self, chat_id: ChatId) -> Everything:
        stored = await read_everything(self.db, chat_id)
        assert stored is not None
        return stored


async def create_unreadable(db: RecordedSQLite) -> None:
    """Older than all others, and more than a worker takes at once: whoever looks finds them first."""
    silent = Store(db, MemoryBus())
    for number in range(TAKEN_AT_ONCE_MAX + 1):
        await create_chat(silent, create(user("say never"), chat_id=f"unreadable {number}"))
    await db.write(lambda tx: tx.script("UPDATE chats SET projection = '{' WHERE id LIKE 'unreadable%';"))


def _rests(chat: Chat | None) -> bool:
    waits_for_person = chat is not None and chat.status is Status.REQUIRES_ACTION and chat.deadline_at is None
    return chat is None or waits_for_person or chat.status in (Status.WAITING, Status.ERROR)
