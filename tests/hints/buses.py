"""Every kind of bus there is, as two ends: what is published at one end is heard at the other.

A new bus is one more row of BUSES, and has to pass all of `test_contract.py`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from msgspec import Struct

from chatd.hints.bus import Bus
from chatd.hints.memory import MemoryBus


class Ends(Struct, frozen=True):
    """Two processes that share a bus; of a bus within one process, twice the same."""

    here: Bus
    there: Bus
    # Returns when everything that was published has arrived.
    settle: Callable[[], Awaitable[None]]


@asynccontextmanager
async def memory() -> AsyncIterator[Ends]:
    async def settle() -> None:
        """Nothing is ever under way."""

    bus = MemoryBus()
    yield Ends(here=bus, there=bus, settle=settle)


BUSES: Mapping[str, Callable[[], AbstractAsyncContextManager[Ends]]] = {"memory": memory}
