"""An answer that comes out of memory, at the times that a test says."""

import asyncio
from collections.abc import Mapping, Sequence

from chatd.providers.transport.source import Source

STREAM = {"content-type": "text/event-stream"}


class MemorySource:
    """Bytes come; numbers are seconds that pass. Then it ends, unless it is `endless`."""

    def __init__(
        self, *script: bytes | float, headers: Mapping[str, str] | None = None, endless: bool = False
    ) -> None:
        self.status = 200
        self.headers: Mapping[str, str] = STREAM if headers is None else headers
        self.closed = False
        self._script = list(script)
        self._endless = endless
        self._failing: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def read(self) -> bytes:
        while True:
            if self._failing.done():
                self._failing.result()
            if not self._script and not self._endless:
                return b""
            portion = self._script.pop(0) if self._script else None
            if isinstance(portion, bytes):
                return portion
            await asyncio.wait({self._failing}, timeout=portion)

    def fail(self, error: Exception) -> None:
        if not self._failing.done():
            self._failing.set_exception(error)
            self._failing.exception()

    def close(self) -> None:
        self.closed = True


class MemoryPost:
    """Each call gets the next source, after a while."""

    def __init__(self, *sources: MemorySource, after_seconds: float = 0) -> None:
        self.sources: Sequence[MemorySource] = sources
        self._left = list(sources)
        self._after_seconds = after_seconds

    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Source:
        await asyncio.sleep(self._after_seconds)
        return self._left.pop(0)
