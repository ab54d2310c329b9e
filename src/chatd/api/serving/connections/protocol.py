"""HTTP on one connection, with bounds on what comes before a request is known to be one.

uvicorn waits for a request's head as long as the sender takes, and keeps all of it in memory. That is too
much for a sender who has not shown a token yet.
"""

import asyncio
from collections.abc import MutableMapping
from functools import partial
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from chatd.api.failures import refusal
from chatd.api.serving.connections.strangers import Strangers, with_known, without_known
from chatd.errors import BadInput

HEAD_BYTES_MAX = 64 * 1024
HEAD_SECONDS = 10.0
# What is neither head nor body: trailers and chunk extensions, counted since the last byte of the body.
FRAMING_BYTES_MAX = 64 * 1024
# Of a body that was answered before it was read. So much is read and dropped, because a sender who is cut
# off while sending does not see the answer. It is three times the largest file. What is beyond it stays
# unread, which cuts nobody off either, for as long as a body may take.
LINGER_BYTES_MAX = 32 * 1024 * 1024
LINGER_SECONDS = 30.0
# Requests that wait on one connection behind the one that is being answered.
PIPELINED_MAX = 64

NOT_HTTP = refusal(
    BadInput(
        "not_http",
        "This is no HTTP request that can be read.",
        hint="Check the request line, and that Content-Length is the number of bytes of the body.",
    )
)


class TooManyPipelinedError(Exception):
    """Stops the parser in the middle of what was received."""


class BoundedHttp(HttpToolsProtocol):
    """Ends a connection whose other end sends too much beside its bodies, or takes too long for anything."""

    def __init__(
        self,
        *args: Any,
        head_seconds: float = HEAD_SECONDS,
        linger_seconds: float = LINGER_SECONDS,
        strangers: Strangers,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._strangers = strangers
        self._head_seconds = head_seconds
        self._linger_seconds = linger_seconds
        self._in_head = True
        # Of a head that is not complete yet.
        self._head_bytes = 0
        # Of a body's framing, since the last byte of the body itself.
        self._framing_bytes = 0
        # Of a body that came after its answer.
        self._lingering_bytes = 0
        # For the head that is expected, or for the rest of a body that is not.
        self._too_late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client is not None:
            self._strangers.come(self, self.client[0])
        self._start_timer(self._head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._leave_strangers()
        super().connection_lost(exc)

    @property
    def is_waited_for(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def on_message_begin(self) -> None:
        super().on_message_begin()
        with_known(cast("MutableMapping[str, Any]", self.scope), partial(self._strangers.leave, self))

    def handle_websocket_upgrade(self) -> None:
        # Refused at once, or by then it is known whose it is.
        self._leave_strangers()
        super().handle_websocket_upgrade()

    def _leave_strangers(self) -> None:
        self._strangers.leave(self)
        scope: MutableMapping[str, Any] | None = cast("Any", self.scope)
        if scope is not None:
            # It leads back to us: the memory of thousands of connections would wait for the collector.
            without_known(scope)

    def data_received(self, data: bytes) -> None:
        if self._in_head and self._too_late is None:
            self._start_timer(self._head_seconds)
        while data and self.transport.get_protocol() is self and not self.transport.is_closing():
            data = data[self._feed(data) :]

    def on_header(self, name: bytes, value: bytes) -> None:
        # A trailer comes when the request is under way, and must not change it.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._framing_bytes = self._lingering_bytes = 0
        self._stop_timer()
        super().on_headers_complete()
        if len(self.pipeline) > PIPELINED_MAX:
            self.transport.abort()
            raise TooManyPipelinedError

    def on_body(self, body: bytes) -> None:
        self._framing_bytes = 0
        if self.cycle.response_complete:
            self._lingering_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head = True
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete:
            # What arrived of a body before its answer was not wanted.
            self.cycle.body = bytearray()
        if not self._in_head and self.cycle.response_complete and not self.transport.is_closing():
            self._start_timer(self._linger_seconds)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - it is always the same
        """What was received is no HTTP. It is told as every other error is."""
        # Of the newest request on this connection, if there was one.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            headers = [*NOT_HTTP.raw_headers, (b"connection", b"close")]
            lines = b"".join(b"%s: %s\r\n" % each for each in headers)
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\n%s\r\n%s" % (lines, NOT_HTTP.body))
        # Otherwise it would end up in the middle of the answer to an earlier request.
        self.transport.close()

    def _feed(self, data: bytes) -> int:
        """Let a piece be parsed, of a head no more than it may still have. Returns how much that was."""
        if not self._in_head:
            return self._feed_body(data[:FRAMING_BYTES_MAX])
        piece = data[: HEAD_BYTES_MAX - self._head_bytes]
        # Before it is parsed: a head that ends in it sets this to nothing.
        self._head_bytes += len(piece)
        super().data_received(piece)
        if self._head_bytes >= HEAD_BYTES_MAX:
            self.transport.close()
        return len(piece)

    def _feed_body(self, piece: bytes) -> int:
        # Before it is parsed: a byte of the body in it sets this to nothing.
        self._framing_bytes += len(piece)
        super().data_received(piece)
        if self._framing_bytes > FRAMING_BYTES_MAX:
            self.transport.close()
        elif self._lingering_bytes > LINGER_BYTES_MAX:
            self.flow.pause_reading()
        return len(piece)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._too_late = self.loop.call_later(seconds, self._end)

    def _stop_timer(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def _end(self) -> None:
        if self.flow.read_paused and self.is_waited_for:
            # It is we who do not read on, until an earlier request is answered.
            self._start_timer(self._head_seconds)
        else:
            self.transport.close()
