"""A whole engine without a network: database, bus, board, scripted model, tools and workers, in virtual time.

async def story(world: World) -> None:
    await world.start("say Hello.")
    await world.until_idle()
    assert await world.transcript() == ["user: say Hello.", "assistant: Hello."]

tell(story)
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import ToolResult
from chatd.domain.transitions import Command
from chatd.hints.memory import MemoryBus
from chatd.live.episodes.board import Board
from chatd.live.episodes.episode import ToolResultPiece
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Database
from chatd.storage.migrate import migrate
from chatd.storage.reads.read import Everything, read_everything
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Done, Store, create_chat, transact
from chatd.tools.rehearsal import rehearsal_tools
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker
from tests.support.memory_witness import MemoryWitness
from tests.support.same_tools import toolbox_with
from tests.support.scripted_only import ScriptedOnly
from tests.support.virtual import VirtualClock, run_virtually
from tests.words import OWNER, create, send, user, words_of

CHAT = ChatId("chat")
PATIENCE_SECONDS = 3600


class World:
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        self.clock = VirtualClock()
        self.db = db
        self.bus = MemoryBus()
        self.store = Store(db, self.bus)
        self.board = Board(self.clock)
        self.witness = MemoryWitness()
        self.chance = random.Random(1)
        self.slots = Slots(slots)
        self.stop = asyncio.Event()
        self.workers: list[Worker] = []
        self.models = ScriptedOnly(ScriptedModel(self.clock))

    def services(self) -> AgentServices:
        tools = rehearsal_tools(self.witness, self.clock)
        return AgentServices(
            store=self.store_of_workers(),
            board=self.board,
            models=self.models,
            toolbox_of=toolbox_with(tools),
            clock=self.clock,
            chance=self.chance.random,
            slots=self.slots,
        )

    def store_of_workers(self) -> Store:
        return self.store

    @property
    def silent_store(self) -> Store:
        """The same database, and nobody is told."""
        return Store(self.db, MemoryBus())

    def worker(self) -> Worker:
        self.workers.append(Worker(self.services(), self.bus))
        return self.workers[-1]

    async def until_working(self) -> None:
        """Workers beat once before they take a chat."""
        await self.clock.sleep(0.1)

    @property
    def driven_store(self) -> Store:
        """As the API of a server with a worker has it: what is sent is taken in the same transaction."""
        return Store(self.db, self.bus, self.workers[0])

    async def start(self, words: str, chat_id: ChatId = CHAT) -> Done:
        return await create_chat(self.store, create(user(words), chat_id=chat_id))

    async def tell(self, *commands: Command, chat_id: ChatId = CHAT) -> Done:
        return await transact(self.store, chat_id, *commands)

    async def send(self, words: str, chat_id: ChatId = CHAT) -> Done:
        return await self.tell(send(words), chat_id=chat_id)

    async def stored(self, chat_id: ChatId = CHAT) -> Everything:
        found = await read_everything(self.db, chat_id)
        assert found is not None
        return found

    async def transcript(self, chat_id: ChatId = CHAT) -> list[str]:
        return [words_of(m) for m in (await self.stored(chat_id)).messages if not m.deleted]

    async def until(self, condition: Callable[[Chat], bool], chat_id: ChatId = CHAT) -> Chat:
        """Let time pass until the chat is so. Looks often; virtual time is cheap."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            pause = 0.01
            while True:
                chat = (await self.stored(chat_id)).chat
                if condition(chat):
                    return chat
                await self.clock.sleep(pause)
                pause = min(1.0, pause * 1.2)

    async def until_idle(self, chat_id: ChatId = CHAT) -> Chat:
        return await self.until(lambda chat: chat.status is Status.WAITING, chat_id)

    async def until_said(self, words: str) -> None:
        """Let time pass until a live part contains this."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while words not in self.live_text():
                await self.clock.sleep(0.001)

    def live_results(self, chat_id: ChatId = CHAT) -> list[CallId]:
        """The calls whose results were published, in that order."""
        episodes = self.board._of_chat.get(chat_id, [])
        parts = [spoken.part for episode in episodes for spoken in episode.spoken]
        return [part.tool_call_id for part in parts if isinstance(part, ToolResult)]

    def live_pieces(self, chat_id: ChatId = CHAT) -> list[ToolResultPiece]:
        """What running calls have shown, beginning with that they run."""
        episodes = self.board._of_chat.get(chat_id, [])
        parts = [spoken.part for episode in episodes for spoken in episode.spoken]
        return [part for part in parts if isinstance(part, ToolResultPiece)]

    def live_text(self, chat_id: ChatId = CHAT) -> str:
        episodes = self.board._of_chat.get(chat_id, [])
        parts = [spoken.part for episode in episodes for spoken in episode.spoken]
        return "".join(getattr(part, "text", "") for part in parts)


def tell(
    story: Callable[[World], Awaitable[None]],
    *,
    make: type[World] = World,
    workers: int = 1,
    slots: int = 8,
    seed: int | None = None,
) -> None:
    """Run a story in a world of its own."""

    async def main() -> None:
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            clock = VirtualClock()
            db = await stack.enter_async_context(
                open_sqlite(folder / "chatd.db", now_micros=clock.now_micros, inline=True)
            )
            await migrate(db)
            await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
            world = make(db, slots=slots)
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(world.worker().run(world.stop)) for _ in range(workers)]
                try:
                    await story(world)
                finally:
                    world.stop.set()
                if tasks:
                    await asyncio.wait(tasks)

    run_virtually(main(), seed=seed)
