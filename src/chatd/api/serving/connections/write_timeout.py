"""Connections whose other end does not read: what waits for it is bounded, and so is how long it waits.

A transport calls `pause_writing` when more than its high-water mark waits to be sent, and `resume_writing`
when almost all of that has gone out. uvicorn only makes the application wait in between, for as long as
the other end likes; and a transport that is closed still waits for its buffer to be read. So the time in
between is limited here, for streams and for every other answer, and then the connection is aborted: what
waits in our memory and in the system's is dropped at once.
"""

import asyncio
import socket
import struct
from typing import Any

from chatd.api.serving.connections.protocol import BoundedHttp

# Bytes that wait for one connection before its sender has to wait: the high-water mark of its buffer.
# On top of it is the one write that reached it.
UNSENT_BYTES_MAX = 64 * 1024
# A client that does not read this much within this time, or all that waits if it is less, is disconnected.
TAKEN_BYTES_MIN = 64 * 1024
SEND_SECONDS = 10.0

# Close at once, and forget what was not sent.
_NO_LINGER = struct.pack("ii", 1, 0)


class TakenInTime(asyncio.Protocol):
    """For a protocol of uvicorn: ends the connection whose other end stops reading."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop

    def __init__(self, *args: Any, send_seconds: float = SEND_SECONDS, **more: Any) -> None:
        super().__init__(*args, **more)
        self._send_seconds = send_seconds
        self._overdue: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        transport.set_write_buffer_limits(high=UNSENT_BYTES_MAX)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._stop_waiting()
        super().resume_writing()

    def _wait_for(self, unsent: int) -> None:
        self._overdue = self.loop.call_later(self._send_seconds, self._check, unsent)

    def _stop_waiting(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _check(self, unsent_before: int) -> None:
        # A single event may be larger than a client can read in this time.
        unsent = self.transport.get_write_buffer_size()
        if unsent_before - unsent >= TAKEN_BYTES_MIN:
            self._wait_for(unsent)
        else:
            abort(self.transport)


class Http(TakenInTime, BoundedHttp):
    """The protocol of a new connection."""


def abort(transport: asyncio.Transport) -> None:
    """End the connection now. The other end is told that it was reset; what waits to be sent is dropped."""
    connected = transport.get_extra_info("socket")
    if connected is not None:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()
