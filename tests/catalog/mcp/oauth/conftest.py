from collections.abc import AsyncIterator

import pytest

from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import World, signing_in
from tests.clock import MovedClock


@pytest.fixture
async def there() -> AsyncIterator[SignInServer]:
    async with SignInServer() as there:
        yield there


@pytest.fixture
async def world(store: Store, bus: MemoryBus, clock: MovedClock, there: SignInServer) -> AsyncIterator[World]:
    async with signing_in(store, bus, clock, there) as world:
        yield world
