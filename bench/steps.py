"""Model/tool rounds: how long one takes and what CPU it costs when model and tool take no time at all.

    python -m bench.steps [--rounds N] [--turn N] [--profile FILE]

A round is everything from one asking of the model to the next: its reply with one call is kept and shown,
the call is judged by the rules for approvals and run, its result is kept and shown. The whole engine of a
server is there, without the network: a worker, the part log, SQLite with synchronous=FULL and real threads, a
log that is formatted and thrown away. The model is one that always says the same, because a script would be
read again in every round, and would be part of what is measured.

The tool is `echo`, which only reads and leaves no trace before it begins; then one of each other effect,
which does, and `read_file` of a real workspace, which reads a small file in a thread.

The floor is a bare transaction of the writes of one step, as in transitions.py: one message, one chat.
Cases alternate often in one run and the median counts, since a disk that others use is slow by the minute.

Goals: at most 10 ms and 6 x a bare transaction, whichever tool it is, and a round in a chat of 10,000
messages at most 1.2 x one in a chat of 10.
"""

import argparse
import asyncio
import cProfile
import itertools
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from statistics import median

import uvloop
from msgspec import Struct
from msgspec.json import decode

from bench._server import verdict
from bench.transitions import LONG, OWNER, SHORT, Measure, bare_sqlite, bare_writes, measure, new_chat
from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import CallId, ChatId, UserId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import Text
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.hints.memory import MemoryBus
from chatd.kit import log
from chatd.kit.clock import SystemClock
from chatd.kit.process.garbage import settle_down
from chatd.live.live import Live
from chatd.providers.events import BlockEnded, Finished, Stop, StreamEvent, TextDelta, ToolCalled, ToolInput
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import NAME
from chatd.providers.scripted.performance import PROVIDER
from chatd.storage.migrate import migrate
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.load import look
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.tools.files import file_tools
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.toolbox import Toolbox
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker
from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import Level, Protection
from chatd.workspaces.workspace import Workspace

GOAL_MS, GOAL_BARE, GOAL_LONG = 10.0, 6.0, 1.2
CHATS = 20
# In the comparison of lengths a turn is short, so that a short chat stays short.
SHORT_TURN = 10
BARE_SECONDS = 0.15
GO = SendMessage(message=Draft(role=Role.USER, content=(Text(text="go"),)), when=When.QUEUE)


class Wanted(Struct, frozen=True):
    """What the model calls in each round."""

    tool: str
    args: str


ECHO = Wanted("echo", '{"text": "hello"}')
# By what running them twice would mean, and one that does real work.
TOOLS = {
    "repeatable": Wanted("remember", '{"text": "hello"}'),
    "once": Wanted("launch", '{"text": "hello"}'),
    "read_file": Wanted("read_file", '{"path": "notes.txt"}'),
}
NOTES = "a line\n" * 100


class Metronome:
    """A model, and the only one there is. Calls a tool until it has been asked often enough, at once."""

    name = NAME
    provider = PROVIDER
    provider_id = vendor = PROVIDER
    compression_threshold = 70
    writes_texts = False
    sees: frozenset[str] = frozenset()
    first_seconds = 60.0
    silence_seconds = 300.0
    # Unknown: nothing is ever summarized.
    context_limit = 0

    def __init__(self) -> None:
        self._rounds = 0
        self.wanted = ECHO
        # By history, which is kept so that no other can be taken for it.
        self._left: dict[int, tuple[Sequence[Message], int]] = {}
        self._ids = itertools.count()
        self._asked: list[tuple[float, float]] = []

    async def find(self, _: str | None, _owner: UserId) -> "Metronome":
        return self

    def cost(self, _: Finished, *, answered_by: str = "") -> None:
        """Nothing."""

    def wind(self, rounds: int) -> None:
        """So many rounds for every turn that begins from now on."""
        self._rounds = rounds
        self._left.clear()
        self._asked.clear()

    @property
    def measured(self) -> Measure:
        """All rounds since it was wound, from the first asking to the last."""
        (wall, cpu), (wall_end, cpu_end) = self._asked[0], self._asked[-1]
        # The last asking of each turn ends a round and begins none.
        return Measure(len(self._asked) - len(self._left), wall_end - wall, cpu_end - cpu)

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self._asked.append((time.perf_counter(), time.process_time()))
        # A runner's own list, which grows as its chat does.
        history = request.messages
        _, left = self._left.get(id(history), (history, self._rounds))
        self._left[id(history)] = history, left - 1
        if left <= 0:
            yield TextDelta("Done."), BlockEnded("text"), Finished(Stop.DONE)
            return
        call_id = CallId(f"call {next(self._ids)}")
        wanted = self.wanted
        yield (
            ToolInput(call_id, wanted.args, wanted.tool),
            ToolCalled(call_id, wanted.tool, decode(wanted.args)),
            Finished(Stop.TOOLS),
        )


class OnlyFiles(Struct, frozen=True):
    """A workspace in which no command is run."""

    files: Files
    protection: Protection = Protection(level=Level.NONE, network=True)

    @property
    def checkpoints(self) -> None:
        return None

    @property
    def processes(self) -> Processes:
        raise AssertionError("no command is run here")


class Engine(Struct, frozen=True):
    store: Store
    model: Metronome
    # Of the workspace.
    root: Path

    async def turn(self, chats: Iterable[ChatId], rounds: int) -> Measure:
        """One turn in each of the chats, together."""
        self.model.wind(rounds)
        await asyncio.gather(*(self._turn(chat_id) for chat_id in chats))
        return self.model.measured

    async def _turn(self, chat_id: ChatId) -> None:
        await transact(self.store, chat_id, GO)
        await self.rest(chat_id)

    async def rest(self, chat_id: ChatId) -> None:
        """Until nobody drives it any more. Looks seldom: what is measured is over by then."""
        while True:
            await asyncio.sleep(0.05)
            seen = await look(self.store.db, chat_id)
            assert seen is not None
            if seen.chat.status is Status.WAITING and seen.chat.lease is None:
                return
            assert seen.chat.status is not Status.ERROR, seen.chat

    async def new_chat(self, chat_id: str, messages: int = SHORT) -> ChatId:
        """A chat that rests: its first turn is one without rounds."""
        self.model.wind(0)
        created = await new_chat(self.store, chat_id, messages)
        await self.rest(created)
        return created

    async def new_chat_with_workspace(self, chat_id: str) -> ChatId:
        self.model.wind(0)
        setup = SetupChange(workspace=str(self.root))
        create = CreateChat(id=ChatId(chat_id), owner_id=OWNER, messages=(GO.message,), setup=setup)
        await create_chat(self.store, create)
        await self.rest(create.id)
        return create.id


@asynccontextmanager
async def engine(path: Path) -> AsyncIterator[Engine]:
    """What app.py puts together, without HTTP and with another model."""
    clock, bus, model = SystemClock(), MemoryBus(), Metronome()
    tools = (*rehearsal_tools(None, clock), *file_tools())
    root = path.with_name("workspace")
    root.mkdir()
    (root / "notes.txt").write_text(NOTES)

    async def toolbox_of(_: Chat, __: Model, setup: Setup) -> Toolbox:
        return Toolbox(tools, setup.client_tools)

    async with AsyncExitStack() as opened:
        db = await opened.enter_async_context(open_sqlite(path, now_micros=clock.now_micros))
        workspace = OnlyFiles(LocalFiles(root, opened.enter_context(closing(Threads()))))

        async def workspace_of(_: Chat, __: Setup) -> Workspace:
            return workspace

        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", OWNER, "bench", "member"))
        store = Store(db, bus)
        live = Live(store, clock)
        services = AgentServices(
            store=store,
            board=live.board,
            models=model,
            toolbox_of=toolbox_of,
            workspace_of=workspace_of,
            clock=clock,
            chance=random.random,
            slots=Slots(64),
        )
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            showing = group.create_task(live.run())
            working = group.create_task(Worker(services, bus).run(stop))
            yield Engine(store, model, root)
            stop.set()
            await asyncio.wait([working])
            showing.cancel()


def middle(measures: list[Measure]) -> Measure:
    return Measure(
        1000,
        median(m.wall_micros for m in measures) / 1e3,
        median(m.cpu_micros for m in measures) / 1e3,
    )


async def against_bare(its: Engine, raw: sqlite3.Connection, options: argparse.Namespace) -> None:
    for count in (1, CHATS):
        chats = [await its.new_chat(f"{count}, {n}") for n in range(count)]
        lanes = [await bare_writes(its.store, SqlEngine.SQLITE, f"bare {count}, {n}") for n in range(count)]
        for lane in lanes:
            await its.rest(lane.chat_id)
        with ThreadPoolExecutor(1) as thread:
            floor = bare_sqlite(raw, thread, lanes)
            bare: list[Measure] = []
            ours: list[Measure] = []
            await its.turn(chats, options.turn // 5)
            for _ in range(options.rounds):
                bare.append(await measure(floor, BARE_SECONDS))
                ours.append(await its.turn(chats, options.turn))
        report(f"{count} chat{'s' if count > 1 else ''}", middle(bare), middle(ours))


async def by_tool(its: Engine, raw: sqlite3.Connection, options: argparse.Namespace) -> None:
    """One chat, and each tool beside the same floor."""
    lane = await bare_writes(its.store, SqlEngine.SQLITE, "bare, tools")
    await its.rest(lane.chat_id)
    chats = {name: await its.new_chat_with_workspace(name) for name in TOOLS}
    bare: list[Measure] = []
    ours: dict[str, list[Measure]] = {name: [] for name in TOOLS}
    with ThreadPoolExecutor(1) as thread:
        floor = bare_sqlite(raw, thread, [lane])
        for number in range(options.rounds + 1):
            bare.append(await measure(floor, BARE_SECONDS))
            for name, wanted in TOOLS.items():
                its.model.wanted = wanted
                found = await its.turn([chats[name]], options.turn)
                # The first one warms up.
                ours[name] += [found] if number else []
    its.model.wanted = ECHO
    for name, measures in ours.items():
        print()
        report(name, middle(bare), middle(measures))


def report(name: str, bare: Measure, ours: Measure) -> None:
    for what, found in (("a bare transaction", bare), ("a round", ours)):
        print(
            f"  {f'{what}, {name}':30} {1e6 / found.wall_micros:7,.0f}/s "
            f"{found.wall_micros / 1e3:7.2f} ms {found.cpu_micros / 1e3:7.2f} ms CPU"
        )
    wall, cpu = ours.wall_micros / bare.wall_micros, ours.cpu_micros / bare.cpu_micros
    milliseconds = ours.wall_micros / 1e3
    print(
        f"  a round over a bare transaction: {cpu:.2f} x CPU, {wall:.2f} x wall "
        f"(goal {GOAL_BARE} x wall: {verdict(wall, GOAL_BARE)}); "
        f"{milliseconds:.2f} ms (goal {GOAL_MS} ms: {verdict(milliseconds, GOAL_MS)})"
    )


async def by_length(its: Engine, options: argparse.Namespace) -> None:
    long = await its.new_chat("long", LONG)
    found: dict[str, list[Measure]] = {f"a chat of {SHORT}": [], f"a chat of {LONG:,}": []}
    turns = options.rounds * 2
    shorts = [await its.new_chat(f"short {n}") for n in range(turns)]
    await its.turn([long], SHORT_TURN)
    for short in shorts:
        for measures, chat_id in zip(found.values(), (short, long), strict=True):
            measures.append(await its.turn([chat_id], SHORT_TURN))
    print()
    for name, measures in found.items():
        one = middle(measures)
        print(
            f"  {'a round in ' + name:30} {one.wall_micros / 1e3:7.2f} ms {one.cpu_micros / 1e3:7.2f} ms CPU"
        )
    low, high = (middle(measures) for measures in found.values())
    wall, cpu = high.wall_micros / low.wall_micros, high.cpu_micros / low.cpu_micros
    print(
        f"  long over short: {cpu:.2f} x CPU, {wall:.2f} x wall "
        f"(goal {GOAL_LONG} x: {verdict(max(wall, cpu), GOAL_LONG)})"
    )


async def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
        path = Path(folder) / "chatd.db"
        async with engine(path) as its:
            # As a server does when it is ready.
            settle_down()
            if options.profile is not None:
                await profiled(its, options)
                return
            raw = sqlite3.connect(path, isolation_level=None, cached_statements=256, check_same_thread=False)
            raw.create_function("chatd_now", 0, SystemClock().now_micros)
            for pragma in ("synchronous = FULL", "foreign_keys = ON", "busy_timeout = 5000"):
                raw.execute(f"PRAGMA {pragma}")
            print("\nSQLite, synchronous=FULL")
            await against_bare(its, raw, options)
            await by_tool(its, raw, options)
            raw.close()
            await by_length(its, options)


async def profiled(its: Engine, options: argparse.Namespace) -> None:
    """Where the event loop spends its time; what the threads of the database do is not in there."""
    chats = [await its.new_chat(f"{n}") for n in range(CHATS)]
    profile = cProfile.Profile()
    profile.enable()
    found = await its.turn(chats, options.turn)
    profile.disable()
    profile.dump_stats(options.profile)
    print(f"{found.count} rounds, {found.cpu_micros / 1e3:.2f} ms CPU each, in {options.profile}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12, help="how often each case is measured")
    parser.add_argument("--turn", type=int, default=25, help="model/tool rounds in one turn")
    parser.add_argument("--profile", type=Path, help="write a profile of 20 chats here, and measure nothing")
    options = parser.parse_args()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        # As a server does; what is formatted costs time.
        log.set_up(level="info", pretty=False, stream=nowhere)
        # On the loop that serves.
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(options))


if __name__ == "__main__":
    main()
