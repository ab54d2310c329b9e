"""A viewer of one chat: follows its stream on some process, and comes back when it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from chatd.domain.ids import ChatId
from tests.api.client import CHATS
from tests.simulation.chaos import Chaos, Violation
from tests.simulation.people.picture import Arriving, Held, Part, Picture
from tests.simulation.servers.http import Connection
from tests.simulation.servers.process import Process

# How often, of a hundred pieces that arrive, a viewer stops reading for a while, or leaves.
PAUSES = 6.0
PAUSE_SECONDS = (0.1, 15.0)
LEAVES = 4.0
# How often, of a hundred connections, they have forgotten all they knew.
RELOADS = 30.0
AWAY_SECONDS = (0.0, 0.1, 1.0, 5.0)


class Sight(NamedTuple):
    """What somebody saw of the preview who knew nothing before."""

    process: str
    # Between these moments the server looked.
    began: float
    arrived: float
    preview: tuple[Part, ...]


class Viewer:
    def __init__(self, chat_id: ChatId, chaos: Chaos, somewhere: Callable[[], Awaitable[Process]]) -> None:
        self.chat_id = chat_id
        self.held: list[Held] = []
        self.sights: list[Sight] = []
        self.picture = Picture(self.held)
        self._chaos = chaos
        self._somewhere = somewhere

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._watch(await self._somewhere())
            await asyncio.sleep(self._chaos.chance.choice(AWAY_SECONDS))

    async def _watch(self, process: Process) -> None:
        if self._chaos.strikes(RELOADS):
            self.picture.end_preview()
            self.picture = Picture(self.held)
        path = f"{CHATS}/{self.chat_id}/stream"
        connection = Connection(process, path, self.picture.cursor, self._chaos)
        try:
            await self._read(connection, process.life.name)
        finally:
            connection.leave()
            self.picture.lose_connection()
        connection.check()
        if 400 <= connection.status < 500:
            raise Violation(f"a viewer was refused with {connection.status} at {self.picture.cursor}")

    async def _read(self, connection: Connection, process: str) -> None:
        arriving, fresh, began = Arriving(), self.picture.cursor is None, _now()
        while (chunk := await connection.take()) is not None:
            if connection.status != 200:
                return
            events = arriving.feed(chunk)
            for event in events:
                self.picture.apply(event)
            if fresh and events and not connection.broken:
                fresh = False
                self.sights.append(Sight(process, began, _now(), tuple(self.picture.preview)))
            if self._chaos.strikes(LEAVES):
                return
            if self._chaos.strikes(PAUSES):
                await asyncio.sleep(self._chaos.chance.uniform(*PAUSE_SECONDS))


def _now() -> float:
    return asyncio.get_running_loop().time()
