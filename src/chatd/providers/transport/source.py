"""The seam between answers and the network that brings them, and how long we wait for them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from msgspec import Struct

from chatd.providers import failures

# Until the first byte of an answer that begins before the model does: signing, connecting and sending.
FIRST_BYTE_SECONDS = 60.0
# Between two bytes, if the provider's settings say nothing else. Pings and comments are bytes.
SILENCE_SECONDS = 300.0
TOTAL_SECONDS = 3600.0
# For what follows the end of the answer. Whoever takes longer costs more than a new connection does.
LEFTOVER_SECONDS = 0.2


class Source(Protocol):
    """An answer whose status and headers are there already. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]

    async def read(self) -> bytes:
        """What has come since; empty at the end. Raises what `failures.from_exception` understands."""
        ...

    def fail(self, error: Exception) -> None:
        """Whoever reads, now or next, is told this error."""
        ...

    def close(self) -> None:
        """Let go of it. Unless it was read to its end, the connection is dropped."""
        ...


class Post(Protocol):
    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Source:
        """Send it, once. Raises what `failures.from_exception` understands."""
        ...


class Limits(Struct, frozen=True, kw_only=True):
    first_byte_seconds: float = FIRST_BYTE_SECONDS
    silence_seconds: float = SILENCE_SECONDS
    total_seconds: float = TOTAL_SECONDS


class TimedReader:
    """Reads a source, and gives up when it is silent for too long.

    There is one timer for the whole answer. It is not moved when something comes, which happens a thousand
    times; it looks, when it goes off, how long it has been quiet, and is set again for the rest.

    Time is the event loop's own. It never jumps, and a test can run it as fast as it likes.
    """

    def __init__(self, source: Source, limits: Limits, *, begun: float, provider: str) -> None:
        loop = asyncio.get_running_loop()
        self._source_read = source.read
        self._source = source
        self._limits = limits
        self._provider = provider
        self._begun = begun
        self._heard = False
        # None while nobody waits: what a slow reader has not taken is not the provider's silence.
        self._waiting_since: float | None = None
        self._now: Callable[[], float] = loop.time
        self._call_at = loop.call_at
        self._timer = loop.call_at(self._due(), self._look)

    def read(self) -> Awaitable[bytes]:
        """Waits for what comes next; whoever has it says `heard`.

        Raises ProviderError when the patience is at its end, and what the source raises. Not a coroutine of
        its own: each of those that a delta passes is a twentieth of its price.
        """
        self._waiting_since = self._now()
        return self._source_read()

    def heard(self) -> None:
        self._waiting_since = None
        if not self._heard:
            # From now on another patience counts, which may be a shorter one.
            self._heard = True
            self._timer.cancel()
            self._timer = self._call_at(self._due(), self._look)

    def hurry(self, seconds: float) -> None:
        """From now on, there is only this much time left in all."""
        self._timer.cancel()
        self._begun = self._now()
        self._limits = Limits(first_byte_seconds=seconds, silence_seconds=seconds, total_seconds=seconds)
        self._timer = self._call_at(self._due(), self._look)

    def close(self) -> None:
        self._timer.cancel()

    def _due(self) -> float:
        """When it will have taken too long, if nothing more comes."""
        if not self._heard:
            quiet = self._begun + self._limits.first_byte_seconds
        else:
            since = self._now() if self._waiting_since is None else self._waiting_since
            quiet = since + self._limits.silence_seconds
        return min(quiet, self._begun + self._limits.total_seconds)

    def _look(self) -> None:
        due = self._due()
        now = self._now()
        if now < due:
            self._timer = self._call_at(due, self._look)
        elif now < self._begun + self._limits.total_seconds:
            self._source.fail(failures.silent(self._provider))
        else:
            # Our own limit: another try would take as long.
            self._source.fail(failures.failed("deadline", provider=self._provider))
