"""Two servers on one database, users who do what they like, and everything that can go wrong.

Processes are simulated: each has a bus, a board, a worker and a view of the database of its own. A crash
makes everything in its memory disappear between two awaits; a moment later a new one starts.
What tools do to the outside world, and what users were promised, is remembered outside of all processes.
"""

import asyncio
import sqlite3
from contextlib import suppress

from chatd.agent.desk import Desk
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, WorkerId
from chatd.domain.transitions import Command
from chatd.domain.transitions.interrupt import Interrupt
from chatd.domain.transitions.promote_queued import PromoteQueued
from chatd.domain.transitions.retry_turn import RetryTurn
from chatd.domain.transitions.send_message import When
from chatd.domain.transitions.submit_actions import Result, SubmitActions
from chatd.errors import ChatdError
from chatd.live.board import Board
from chatd.providers.catalog import ScriptedOnly
from chatd.providers.scripted import ScriptedModel
from chatd.storage.migrate import migrate
from chatd.storage.read import Everything, read_chat, read_everything
from chatd.storage.sqlite import InlineSQLite
from chatd.storage.transact import Store, create_chat, transact
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.toolbox import Toolbox
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker
from tests.simulation.chaos import Chaos, Killed, OutgoingBus, ProcessBus, ProcessDatabase, Violation, Wire
from tests.simulation.witness import Witness
from tests.virtual import VirtualClock
from tests.words import CLIENT_TOOL, OWNER, create, send, user

PROCESSES = 2
CHATS = 2
DEEDS = 7
REST_SECONDS = 4 * 3600
USER_PAUSE_SECONDS = (0.0, 0.5, 3.0, 20.0)


class World:
    def __init__(self, seed: int) -> None:
        self.chaos = Chaos(seed)
        self.clock = VirtualClock()
        self.witness = Witness()
        self.raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.raw.execute("PRAGMA foreign_keys = ON")
        self.raw.create_function("chatd_now", 0, self.clock.now_micros)
        self.db = InlineSQLite(self.raw)
        self.wire = Wire(self.chaos, self.raw)
        self.stop = asyncio.Event()
        # What users were told had happened; and what they asked for and never heard of again.
        self.acknowledged: list[tuple[ChatId, str]] = []
        self.unknown: list[tuple[ChatId, str]] = []
        self._said = 0

    async def run(self) -> dict[ChatId, Everything]:
        """Users, processes and faults; then calm, until everything has come to rest."""
        await migrate(self.db)
        await self.db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
        async with asyncio.TaskGroup() as group:
            processes = [group.create_task(self._process(n)) for n in range(PROCESSES)]
            async with asyncio.TaskGroup() as users:
                for n in range(CHATS):
                    users.create_task(self._user(ChatId(f"chat {n}")))
            self.chaos.calm = True
            await self._come_to_rest()
            self.stop.set()
            await asyncio.wait(processes)
        return {chat_id: await self._stored(chat_id) for chat_id in self._chats()}

    # Processes.

    async def _process(self, number: int) -> None:
        """One server after the other, in the same place, until the story is over."""
        while not self.stop.is_set():
            await self._incarnation(number)
            await asyncio.sleep(self.chaos.chance.uniform(0.1, 2.0))

    async def _incarnation(self, number: int) -> None:
        db = ProcessDatabase(self.db, self.chaos)
        bus = ProcessBus(self.wire)
        worker = Worker(
            self._desk(db), bus, worker_id=WorkerId(f"process {number}.{self.chaos.chance.random()}")
        )
        with suppress(Killed):
            async with asyncio.TaskGroup() as group:
                life = group.create_task(self._live(worker))
                death = group.create_task(db.killed.wait())
                await asyncio.wait([life, death], return_when=asyncio.FIRST_COMPLETED)
                life.cancel()
                death.cancel()
        self.wire.buses.remove(bus)

    async def _live(self, worker: Worker) -> None:
        try:
            await worker.run(self.stop)
        except (Killed, BaseExceptionGroup) as error:
            if _only_killed(error):
                return
            raise

    def _desk(self, db: ProcessDatabase) -> Desk:
        tools = rehearsal_tools(self.witness, self.clock)
        slots = Slots(4)
        return Desk(
            store=Store(db, OutgoingBus(self.wire)),  # type: ignore[arg-type]  # it publishes, and no more
            board=Board(self.clock),
            models=ScriptedOnly(ScriptedModel(self.clock)),
            toolbox_of=lambda _, client_tools: Toolbox(tools, client_tools),
            clock=self.clock,
            chance=self.chaos.chance.random,
            slot=slots.take,
        )

    # Users.

    async def _user(self, chat_id: ChatId) -> None:
        await self._say(chat_id, first=True)
        for _ in range(DEEDS):
            await asyncio.sleep(self.chaos.chance.choice(USER_PAUSE_SECONDS))
            chat = await self._chat(chat_id)
            if chat is None:
                await self._say(chat_id, first=True)
            else:
                await self._do_something(chat_id, chat)

    async def _do_something(self, chat_id: ChatId, chat: Chat) -> None:
        chance = self.chaos.chance.random()
        if chat.status is Status.REQUIRES_ACTION and chance < 0.6:
            await self._answer(chat_id)
        elif chat.status is Status.ERROR and chance < 0.5:
            await self._ask(chat_id, RetryTurn())
        elif chance < 0.25:
            await self._ask(chat_id, Interrupt())
        elif chance < 0.32 and chat.queued:
            stored = await self._stored(chat_id)
            await self._ask(chat_id, *(PromoteQueued(queued_id=row.id) for row in stored.queue[-1:]))
        else:
            await self._say(chat_id)

    async def _say(self, chat_id: ChatId, *, first: bool = False) -> None:
        self._said += 1
        words = self._script(f"m{self._said}")
        when = self.chaos.chance.choice(list(When))
        try:
            store = self._door()
            if first:
                await create_chat(store, create(user(words), chat_id=chat_id))
            else:
                await transact(store, chat_id, send(words, when))
        except ChatdError:
            return  # Refused: nothing happened, and the user knows it.
        except (Killed, sqlite3.Error):
            self.unknown.append((chat_id, words))
        else:
            self.acknowledged.append((chat_id, words))

    async def _ask(self, chat_id: ChatId, *commands: Command) -> None:
        with suppress(ChatdError, Killed, sqlite3.Error):
            await transact(self._door(), chat_id, *commands)

    async def _answer(self, chat_id: ChatId) -> None:
        stored = await self._stored(chat_id)
        waiting = [call for call in stored.calls if call.kind == "client" and call.state == "open"]
        actions = tuple(Result(call_id=call.id, output="from the client") for call in waiting[-1:])
        await self._ask(chat_id, SubmitActions(actions=actions))

    def _door(self) -> Store:
        """The API of some process. It may die while it answers."""
        db = ProcessDatabase(self.db, self.chaos)
        return Store(db, OutgoingBus(self.wire))  # type: ignore[arg-type]  # it publishes, and no more

    def _script(self, name: str) -> str:
        """What the agent is to do. Every line names its message, so that its fate can be followed."""
        lines = {
            "say": f"say answer to {name}",
            "think": f"think about {name}\nsay answer to {name}",
            "long": f"stream 40 words at 10 per second\nsay answer to {name}",
            "tools": (
                f'call @{name}-a remember {{"text": "{name}-a", "seconds": 0.2}}\n'
                f'call @{name}-b launch {{"text": "{name}-b", "seconds": 2}}\n'
                f'call @{name}-c echo {{"text": "{name}-c"}}\nnext\nsay answer to {name}'
            ),
            "slow tool": (
                f'call @{name}-a echo {{"text": "{name}-a"}}\n'
                f'call @{name}-b wait {{"seconds": 30}}\nnext\nsay answer to {name}'
            ),
            "client": f"call @{name}-a {CLIENT_TOOL} {{}}\nnext\nsay answer to {name}",
            "fail": f"fail overloaded twice\nsay answer to {name}",
            "auth": "fail auth",
            "cut": f"say half of {name}\nfail timeout after 2 words once\nsay answer to {name}",
            "crash": f'call @{name}-a explode {{"text": "{name}-a"}}\nnext\nsay answer to {name}',
        }
        return f"# {name}\n" + lines[self.chaos.chance.choice(list(lines))]

    # Looking.

    async def _come_to_rest(self) -> None:
        """Every turn ends: within hours of calm nobody works and nothing waits but for a person."""
        try:
            async with asyncio.timeout(REST_SECONDS):
                while not all([_rests(await self._chat(chat_id)) for chat_id in self._chats()]):
                    await self.clock.sleep(5)
        except TimeoutError as error:
            states = [str(chat.situation) for c in self._chats() if (chat := await self._chat(c))]
            raise Violation(f"a turn does not end: {states}") from error

    def _chats(self) -> list[ChatId]:
        return [ChatId(row[0]) for row in self.raw.execute("SELECT id FROM chats ORDER BY id")]

    async def _chat(self, chat_id: ChatId) -> Chat | None:
        return await read_chat(self.db, chat_id)

    async def _stored(self, chat_id: ChatId) -> Everything:
        stored = await read_everything(self.db, chat_id)
        assert stored is not None
        return stored


def _rests(chat: Chat | None) -> bool:
    return chat is None or chat.status in (Status.WAITING, Status.ERROR)


def _only_killed(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_only_killed(each) for each in error.exceptions)
    return isinstance(error, Killed | asyncio.CancelledError)
