"""What we lean on within uvicorn. When a new version changes it, this says so first; see pyproject.toml."""

import asyncio
import inspect
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from chatd.api.serving.connections.protocol import BoundedHttp
from chatd.api.serving.connections.server import _Server
from chatd.api.serving.connections.websocket import WebSocket
from chatd.api.serving.connections.write_timeout import TakenInTime

P = TypeVar("P", bound=asyncio.Protocol)

REQUEST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\nabc"


class App:
    """Answers when it is told to, and reads no body."""

    def __init__(self) -> None:
        self.called, self.may_answer = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.called.set()
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def connected(protocol: P) -> AsyncIterator[tuple[P, socket.socket]]:
    """The protocol on a connection, and the other end of that."""
    ours, theirs = socket.socketpair()
    with ours:
        transport, _ = await asyncio.get_running_loop().connect_accepted_socket(lambda: protocol, theirs)
        try:
            yield protocol, ours
        finally:
            transport.abort()
            # The event loop calls `connection_lost` in its next round.
            await asyncio.sleep(0)


def config_of(app: App) -> uvicorn.Config:
    return uvicorn.Config(app, lifespan="off", log_config=None)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (BoundedHttp, HttpToolsProtocol),
        (TakenInTime, HttpToolsProtocol),
        (TakenInTime, WebSocketsSansIOProtocol),
        (WebSocket, WebSocketsSansIOProtocol),
        (_Server, uvicorn.Server),
    ],
)
def test_every_method_of_ours_replaces_one_that_uvicorn_has(ours: type, theirs: type) -> None:
    replaced = {name for name, _ in inspect.getmembers(ours, inspect.isfunction) if name in vars(ours)}
    public = {name for name in replaced if not name.startswith("_")}

    assert public
    assert public <= set(vars(theirs))


async def test_a_request_holds_its_body_and_those_behind_it_wait_in_a_pipeline() -> None:
    app, state = App(), ServerState()
    async with connected(HttpToolsProtocol(config_of(app), state, {})) as (protocol, caller):
        caller.send(REQUEST * 3)
        await app.called.wait()

        assert state.connections == {protocol}
        assert protocol.loop is asyncio.get_running_loop()
        assert protocol.transport.get_protocol() is protocol
        assert protocol.flow.read_paused
        first, waiting = protocol.cycle, len(protocol.pipeline)
        # The newest is `cycle`; the others are answered before it.
        assert (first.body, first.response_complete, waiting) == (bytearray(b"abc"), False, 2)

        app.may_answer.set()
        await asyncio.gather(*state.tasks)
        assert (first.response_complete, len(protocol.pipeline)) == (True, 0)


async def test_a_websocket_is_writable_until_it_is_paused_and_says_when_it_is_gone() -> None:
    async with connected(WebSocketsSansIOProtocol(config_of(App()), ServerState(), {})) as (protocol, _):
        assert protocol.writable.is_set()
        protocol.pause_writing()
        assert not protocol.writable.is_set()
        protocol.resume_writing()
        assert protocol.writable.is_set()

        assert protocol.conn.data_to_send() == []
        assert callable(protocol.conn.send_text)
        assert callable(protocol.conn.send_continuation)
        assert not protocol.disconnected

    assert protocol.disconnected
