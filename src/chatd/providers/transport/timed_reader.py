"""Reading an answer within its time limits."""

import asyncio
from collections.abc import Awaitable, Callable

from chatd.providers import failures
from chatd.providers.transport.source import Limits, Source


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
        # None while no read is waiting: a slow reader is not the provider's silence.
        self._waiting_since: float | None = None
        self._now: Callable[[], float] = loop.time
        self._call_at = loop.call_at
        self._timer = loop.call_at(self._due(), self._look)

    def read(self) -> Awaitable[bytes]:
        """Waits for what comes next; the caller then calls `heard`.

        Raises ProviderError when a limit has passed, and what the source raises. Not a coroutine of
        its own: each coroutine that a delta passes costs a twentieth of its CPU time.
        """
        self._waiting_since = self._now()
        return self._source_read()

    def heard(self) -> None:
        self._waiting_since = None
        if not self._heard:
            # From now on the limit of silence counts, which may be shorter.
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
