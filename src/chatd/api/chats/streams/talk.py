"""One connection: everything is told until it ends, or its viewer leaves or may not watch any more."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog
from starlette.types import Receive, Scope, Send

from chatd.api.chats.streams.admission import Admission, Ending
from chatd.api.chats.streams.heard import Heard
from chatd.api.chats.streams.lag import Lag
from chatd.api.chats.streams.stream import Batches
from chatd.api.router import Server
from chatd.api.serving.operating.canonical import line_of
from chatd.errors import Refused
from chatd.kit.concurrency.bell import Bell
from chatd.live.events import Batch

log = structlog.get_logger()

GONE = frozenset({"websocket.disconnect", "http.disconnect"})

# How long we try to say goodbye.
FAREWELL_SECONDS = 1

NORMAL, REFUSED, BROKEN, GOING_AWAY = 1000, 1008, 1011, 1012
# How a stream is closed that ended so.
CLOSED_WITH = {Ending.REFUSED: REFUSED, Ending.OTHER_VIEW: GOING_AWAY}


@dataclass(frozen=True, slots=True)
class Talk:
    """One connection."""

    server: Server
    scope: Scope
    receive: Receive
    send: Send
    bell: Bell
    # What was read before the stream began, until it is told.
    first: list[Batch]
    admission: Admission
    # What the answer begins with, beside what all streams have.
    headers: Sequence[tuple[bytes, bytes]]
    heard: Heard
    lag: Lag = field(default_factory=Lag)

    async def until_gone(self) -> None:
        """What viewers send is not listened to; only that they leave, or send too much."""
        while not self.heard.is_too_much and (message := await self.receive())["type"] not in GONE:
            if message["type"] == "websocket.receive":
                self.heard.note(message)
        self.bell.end()

    async def through(self, batches: Batches, tell: Callable[[Batch], Awaitable[None]]) -> int:
        """Tell everything until it ends; how it ended."""
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(self.until_gone(), name="notice that a viewer left")
            try:
                ending = await self._tell_all(batches, tell)
                if ending is Ending.REFUSED:
                    await tell(self.admission.farewell)
                if ending in CLOSED_WITH:
                    return CLOSED_WITH[ending]
            except OSError:
                # They left, or were disconnected because they did not read.
                self.bell.end()
                return NORMAL
            except Exception:
                log.exception("stream.failed", request_id=line_of(self.scope).request_id)
                return BROKEN
            finally:
                self.lag.count()
                gone.cancel()
        if self.heard.is_too_much:
            return REFUSED
        return GOING_AWAY if self.server.live.streams.ended else NORMAL

    async def _tell_all(self, batches: Batches, tell: Callable[[Batch], Awaitable[None]]) -> Ending:
        # What it tells may have been shared and taken back since they were let in.
        if (ending := await self.admission.ending(self.first[0])) is not None:
            return ending
        await tell(self.first.pop())
        try:
            async for batch in batches:
                if (ending := await self.admission.ending(batch)) is not None:
                    return ending
                if batch or self.scope["type"] == "http":
                    await tell(batch)
                    if batch:
                        # By the clock of the bell.
                        self.lag.note(self.bell.heard_at, time.monotonic())
                del batch
        except Refused:
            return Ending.REFUSED
        return Ending.NOTHING_MORE


async def quietly(sending: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(FAREWELL_SECONDS):
            await sending
    except (OSError, TimeoutError):
        pass  # They are gone already.
