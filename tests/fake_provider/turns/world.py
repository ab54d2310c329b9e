"""A whole engine whose models are at the fake provider: catalog, worker, agent, transport, in real time.

async def test_something(folder):
    async with working(folder) as world:
        world.fake.will_say(answer(say("Hello.")))
        await world.ask("anthropic", "Hello?")
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.agent.services import AgentServices
from chatd.catalog.catalog import open_catalog
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.store import CatalogStore
from chatd.domain.chat import AT_WORK, Chat, Status
from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import File, Text
from chatd.domain.setup import Setup
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import Board
from chatd.providers.credentials.cache import CredentialCache
from chatd.providers.model import Model
from chatd.providers.registry import Registry
from chatd.providers.scripted.model import ScriptedModel
from chatd.providers.transport.http import Pools
from chatd.records.recorder import Recorder
from chatd.storage.database import Database
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.tables.files import add_file, read_file
from chatd.storage.transactions.transact import create_chat
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.tool import AnyTool
from tests.fake_provider.places import declared_at, model_at
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.wire import Asked
from tests.support.same_tools import toolbox_with
from tests.words import OWNER, create
from tests.worker.worlds.world import CHAT, World

PATIENCE_SECONDS = 60
PICTURE = FileId("picture")
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")


class ProviderWorld(World):
    def __init__(self, db: Database, fake: FakeProvider, clock: Clock, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.fake = fake
        self.registry: Registry
        self.catalog_store: CatalogStore
        self.recorder: Recorder | None = None
        self.system: tuple[str, ...] = ()
        self.tools: tuple[AnyTool, ...] = ()
        self._system_clock = clock
        self.board = Board(self._system_clock)

    def services(self) -> AgentServices:
        tools = self.tools or rehearsal_tools(self.witness, self._system_clock)
        return AgentServices(
            store=self.store,
            board=self.board,
            models=self.registry,
            summarizers=self.registry,
            compaction_threshold=self.registry.compaction_threshold,
            context_limits=self.registry,
            toolbox_of=toolbox_with(tools),
            clock=self._system_clock,
            chance=self.chance.random,
            slots=self.slots,
            recorder=self.recorder,
            prompts=self._prompts,
        )

    async def _prompts(self, chat: Chat, model: Model, setup: Setup) -> tuple[str, ...]:
        return self.system

    async def ask(self, place: str, words: str, *, picture: bool = False, chat_id: ChatId = CHAT) -> Chat:
        """Say this to the model at that place, in this chat or a new one, and wait for its end."""
        await self.begin(place, words, picture=picture, chat_id=chat_id)
        return await self.until(lambda chat: chat.status is not Status.RUNNING, chat_id)

    async def begin(self, place: str, words: str, *, picture: bool = False, chat_id: ChatId = CHAT) -> None:
        file = (File(file_id=PICTURE, media_type="image/png", name="dot.png"),) if picture else ()
        message = Draft(role=Role.USER, content=(Text(text=words), *file), model=model_at(place))
        if await self.is_there(chat_id):
            await self.tell(SendMessage(message=message, when=When.QUEUE), chat_id=chat_id)
        else:
            await create_chat(self.store, create(message, chat_id=chat_id))

    async def is_there(self, chat_id: ChatId) -> bool:
        return await self.db.read(lambda tx: tx.one("read_chat", chat_id)) is not None

    async def until(self, condition: Callable[[Chat], bool], chat_id: ChatId = CHAT) -> Chat:
        """Wait for hints until the chat is so."""
        bell = Bell()
        with self.bus.listening_to_chat(chat_id, bell) as inbox:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not condition(chat := (await self.stored(chat_id)).chat):
                    await inbox.wait_for_hints()
                return chat

    async def until_heard(self, words: str, chat_id: ChatId = CHAT) -> None:
        """Let others run until a live part contains this."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while words not in self.live_text(chat_id):  # noqa: ASYNC110 - parts ring no bell of ours
                await asyncio.sleep(0)

    async def until_all_is_quiet(self, tasks: int) -> None:
        """Until there are no more tasks than there were."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(asyncio.all_tasks()) > tasks:  # noqa: ASYNC110 - tasks end without telling us
                await asyncio.sleep(0)

    async def until_released(self, chat_id: ChatId = CHAT) -> None:
        """Until the chat rests, and its runner has let go of it."""
        await self.until(lambda chat: chat.lease is None and chat.status not in AT_WORK, chat_id)

    async def messages(self, chat_id: ChatId = CHAT) -> list[Message]:
        return [each for each in (await self.stored(chat_id)).messages if not each.deleted]

    @property
    def asked(self) -> list[Asked]:
        return self.fake.asked


@asynccontextmanager
async def working(
    folder: Path,
    fake: FakeProvider | None = None,
    *,
    slots: int = 8,
    silence_seconds: float | None = None,
    recorder: Callable[[Database], Recorder] | None = None,
    system: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
    context_limit: int | None = 1_000_000,
    tools: tuple[AnyTool, ...] = (),
    clock: Clock | None = None,
) -> AsyncIterator[ProviderWorld]:
    clock = clock or SystemClock()
    async with (
        fake or FakeProvider() as provider,
        open_sqlite(folder / "chatd.db", now_micros=clock.now_micros) as db,
        Pools() as pools,
    ):
        if await read_file(db, PICTURE) is None:
            await add_file(
                db, file_id=PICTURE, owner_id=OWNER, name="dot.png", media_type="image/png", data=PNG
            )
        world = ProviderWorld(db, provider, clock, slots=slots)
        world.tools = tools
        world.recorder = recorder(db) if recorder is not None else None
        world.system = system
        declared = declared_at(
            provider.address,
            silence_seconds=silence_seconds,
            headers=headers,
            context_limit=context_limit,
        )
        world.catalog_store = CatalogStore(world.store, declared, Secrets(bytes(32)))
        async with open_catalog(world.catalog_store, world.bus, clock) as catalog:
            world.registry = Registry(catalog, pools, CredentialCache(clock), ScriptedModel(clock), clock)
            working = asyncio.ensure_future(world.worker().run(world.stop))
            try:
                yield world
            finally:
                world.stop.set()
                await working
