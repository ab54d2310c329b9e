"""HTTP on one connection, with bounds on what comes before a request is known to be one.

uvicorn waits for a request's head for as long as its sender likes, and keeps all of it. So does nobody
who is not known yet.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 64 * 1024
HEAD_SECONDS = 10.0


class BoundedHttp(HttpToolsProtocol):
    """Ends a connection whose next request's head is too large, or takes too long to arrive."""

    def __init__(self, *args: Any, head_seconds: float = HEAD_SECONDS, **more: Any) -> None:
        super().__init__(*args, **more)
        self._head_seconds = head_seconds
        self._in_head = True
        # Of a head that is not complete yet.
        self._head_bytes = 0
        self._too_late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head and self._too_late is None:
            self._start_timer()
        while data and self.transport.get_protocol() is self and not self.transport.is_closing():
            data = data[self._feed(data) :]

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()

    def _feed(self, data: bytes) -> int:
        """Let a piece be parsed, of a head no more than it may still have. Returns how much that was."""
        if not self._in_head:
            super().data_received(data)
            return len(data)
        piece = data[: HEAD_BYTES_MAX - self._head_bytes]
        # Before it is parsed: a head that ends in it sets this to nothing.
        self._head_bytes += len(piece)
        super().data_received(piece)
        if self._head_bytes >= HEAD_BYTES_MAX:
            self.transport.close()
        return len(piece)

    def _start_timer(self) -> None:
        self._too_late = self.loop.call_later(self._head_seconds, self._end)

    def _stop_timer(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def _end(self) -> None:
        if self.flow.read_paused:
            # It is we who do not read on, until an earlier request is answered.
            self._start_timer()
        else:
            self.transport.close()
