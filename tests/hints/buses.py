"""Every kind of bus there is, as two ends: what is published at one end is heard at the other.

A new bus is one more row of BUSES, and has to pass all of `test_contract.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.hints.bus import Bus
from chatd.hints.hint import HintsLost, PartsLogged
from chatd.hints.memory import MemoryBus
from chatd.hints.postgres import PACES, Paces, PostgresBus, open_postgres_bus
from chatd.kit.clock import SystemClock
from chatd.kit.ids import new_id

# Generous, and only ever waited for when something is broken.
PATIENCE_SECONDS = 30


class Ends(Struct, frozen=True):
    """Two processes that share a bus; of a bus within one process, twice the same."""

    here: Bus
    there: Bus
    # Returns when everything that was published has arrived.
    settle: Callable[[], Awaitable[None]]


@asynccontextmanager
async def memory(_: str) -> AsyncIterator[Ends]:
    async def settle() -> None:
        """Nothing is ever under way."""

    bus = MemoryBus()
    yield Ends(here=bus, there=bus, settle=settle)


@asynccontextmanager
async def postgres(url: str) -> AsyncIterator[Ends]:
    async with two_buses(url) as (here, there):

        async def settle() -> None:
            await carried(here, there)
            await carried(there, here)

        yield Ends(here=here, there=there, settle=settle)


@asynccontextmanager
async def two_buses(url: str, paces: Paces = PACES) -> AsyncIterator[tuple[PostgresBus, PostgresBus]]:
    """Two processes that know one another."""
    async with (
        open_postgres_bus(url, SystemClock(), paces) as here,
        open_postgres_bus(url, SystemClock(), paces) as there,
    ):
        await acquainted(here, there)
        yield here, there


async def acquainted(*buses: PostgresBus) -> None:
    """Each knows all others, and has got over what it may have missed before."""
    names = {bus.name for bus in buses}
    for bus in buses:
        await until(partial(_knows, bus, names - {bus.name}))
    for one in buses:
        for other in buses:
            if one is not other:
                await carried(one, other)


def _knows(bus: PostgresBus, others: set[str]) -> bool:
    return others <= bus.peers


async def until(true: Callable[[], bool]) -> None:
    """What is told by another connection, or logged: there is no event to wait for."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0)


async def carried(sender: PostgresBus, receiver: PostgresBus) -> None:
    """What was sent before this has arrived: notifications keep their order."""
    last = PartsLogged(chat_id=ChatId(new_id()), history=1, attempt=1, seq=1)
    arrived = asyncio.Event()

    def hear(news: PartsLogged) -> None:
        if news == last:
            arrived.set()

    with receiver.listening_to_news(PartsLogged, hear):
        sender.announce(last)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await arrived.wait()


@asynccontextmanager
async def told_to_look(bus: Bus) -> AsyncIterator[None]:
    """Within the block the bus says that hints may have been lost."""
    lost = asyncio.Event()
    with bus.listening_to_news(HintsLost, lambda _: lost.set()):
        yield
        async with asyncio.timeout(PATIENCE_SECONDS):
            await lost.wait()


BUSES: Mapping[str, Callable[[str], AbstractAsyncContextManager[Ends]]] = {
    "memory": memory,
    "postgres": postgres,
}
