"""A real server on a real socket, in the test's own loop: so that a test can speak as the agent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.domain.ids import ChatId
from chatd.domain.people.permit import USUAL_POLICY, Policy
from chatd.domain.people.roles import UserRole
from chatd.kit.clock import SystemClock
from chatd.live.live import Live
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.leases import chats_without_worker
from chatd.storage.transactions.transact import Done, Store, transact
from chatd.workspaces.places import NOWHERE, Places
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.words import OWNER

T = TypeVar("T")

# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30

HOST = "127.0.0.1"


class Served(Struct, frozen=True):
    address: str
    token: str
    store: Store
    live: Live

    async def happens(self, chat_id: str, *commands: object) -> Done:
        """What a worker would commit."""
        return await transact(self.store, ChatId(chat_id), *commands)  # type: ignore[arg-type]

    async def as_admin(self) -> "Served":
        """The same server, to somebody who may do everything."""
        admin = await create_user(self.store.db, "root", UserRole.ADMIN)
        return replace(self, token=await create_token(self.store.db, admin.id, "test"))

    async def until_busy(self) -> str:
        """Wait until a chat has something to do; its id."""

        async def found() -> list[ChatId]:
            return await chats_without_worker(self.store.db, limit=1)

        return (await _until(found))[0]

    async def until_status(self, chat_id: str, status: str) -> None:
        async def reached() -> bool:
            chat = await read_chat(self.store.db, ChatId(chat_id))
            return chat is not None and chat.status == status

        await _until(reached)


async def _until(look: Callable[[], Awaitable[T]]) -> T:
    """Look again and again; what happens in another process gives no sign of itself."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            if seen := await look():
                return seen
            await asyncio.sleep(0)


@asynccontextmanager
async def served(
    store: Store,
    port: int = 0,
    prober: FakeProber | None = None,
    places: Places = NOWHERE,
    policy: Policy = USUAL_POLICY,
) -> AsyncIterator[Served]:
    token = await create_token(store.db, OWNER, "test")
    stop, ready = asyncio.Event(), asyncio.Event()
    live = Live(store, SystemClock())
    with bound(HOST, port) as listener:
        async with asyncio.TaskGroup() as group:
            group.create_task(
                serve_http(
                    build(
                        store,
                        live,
                        catalog_store=some_catalog_store(store),
                        prober=prober or FakeProber(),
                        places=places,
                        policy=policy,
                    ),
                    listener,
                    stop=stop,
                    ready=ready.set,
                    end_streams=live.streams.end,
                )
            )
            background = group.create_task(live.run())
            await ready.wait()
            try:
                yield Served(address_of(HOST, listener), token, store, live)
            finally:
                stop.set()
                background.cancel()
