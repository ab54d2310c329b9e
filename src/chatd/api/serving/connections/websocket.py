"""Connections that were upgraded to a WebSocket. Imported with the first: its package takes a megabyte."""

from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame

from chatd.api.serving.connections.write_timeout import TakenInTime

FRAGMENT_BYTES_MAX = 64 * 1024
# Of one message that is received. Empty ones count for nothing among its bytes, and are kept all the same.
FRAGMENTS_MAX = 64


class WebSocket(TakenInTime, WebSocketsSansIOProtocol):
    """The protocol of an upgraded connection. A large message is sent in fragments, as there is room."""

    async def send(self, message: Any) -> None:
        text = message.get("text")
        if text is None or len(text) <= FRAGMENT_BYTES_MAX:
            await super().send(message)
            return
        data = text.encode()
        for start in range(0, len(data), FRAGMENT_BYTES_MAX):
            await self.writable.wait()
            fragment = data[start : start + FRAGMENT_BYTES_MAX]
            self._send_fragment(fragment, first=start == 0, last=start + FRAGMENT_BYTES_MAX >= len(data))

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= FRAGMENTS_MAX:
            self.conn.fail(CloseCode.POLICY_VIOLATION, "too many fragments")
            self.handle_parser_exception()
            return
        super().handle_cont(event)

    def _send_fragment(self, fragment: bytes, *, first: bool, last: bool) -> None:
        if self.disconnected:
            raise ClientDisconnected
        send = self.conn.send_text if first else self.conn.send_continuation
        try:
            send(fragment, last)
        except InvalidState as closed:
            raise ClientDisconnected from closed
        self.transport.write(b"".join(self.conn.data_to_send()))
