"""HTTP on a socket, until the program is told to stop."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp

from chatd.api.serving.connections.protocol import HEAD_SECONDS, LINGER_SECONDS
from chatd.api.serving.connections.strangers import Strangers
from chatd.api.serving.connections.write_timeout import SEND_SECONDS, Http, abort
from chatd.errors import Unusable

if TYPE_CHECKING:
    from chatd.api.serving.connections.websocket import WebSocket

BACKLOG = 2048
# Connections at once, streams and idle ones among them. A request on one more is answered with 503.
CONNECTIONS_MAX = 10_000
# The largest message that is taken from a viewer, who has nothing to say.
WEBSOCKET_BYTES_MAX = 64 * 1024
# What stands for all addresses of a machine, and the one that only the machine itself has.
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here
# What the client has to read of the rest of a connection that we have closed, each time we look.
REST_BYTES_MIN = 4 * 1024
# How long requests that are under way may take once we were asked to stop.
GRACE_SECONDS = 5


@contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket with an address of its own, not listening yet."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    with listener:
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError as error:
            raise _cannot_listen(host, port, error) from error
        yield listener


def address_of(host: str, listener: socket.socket) -> str:
    """Where the listener can be reached, with the port that it really has."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def local_address_of(host: str, listener: socket.socket) -> str:
    """Where programs on this machine reach it: for 0.0.0.0 and ::, the loopback address."""
    return address_of(LOOPBACK_OF.get(host, host), listener)


async def serve_http(  # noqa: PLR0913 - the last ones have defaults, which tests change
    app: ASGIApp,
    listener: socket.socket,
    *,
    stop: asyncio.Event,
    ready: Callable[[], None],
    end_streams: Callable[[], None] = lambda: None,
    head_seconds: float = HEAD_SECONDS,
    linger_seconds: float = LINGER_SECONDS,
    send_seconds: float = SEND_SECONDS,
    strangers: Strangers | None = None,
) -> None:
    """Answer requests until `stop` is set, and those under way for GRACE_SECONDS more.

    `ready` is called when we listen. `end_streams` is called before anything else ends: uvicorn would
    wait for streams, and they for something to happen.
    """
    host, port, *_ = listener.getsockname()
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    # As good as classes: uvicorn only calls them.
    http = partial(
        Http,
        head_seconds=head_seconds,
        linger_seconds=linger_seconds,
        send_seconds=send_seconds,
        strangers=strangers if strangers is not None else Strangers(),
    )
    ws = partial(_websocket, send_seconds=send_seconds)
    server = _Server(_config(app, http, ws), ready)
    async with asyncio.TaskGroup() as group:
        ending = group.create_task(_end(server, stop, end_streams), name="wait for the signal to stop")
        sweeping = group.create_task(_abort_unread(server, send_seconds), name="abort what is not read")
        await server.serve(sockets=[listener])
        ending.cancel()
        sweeping.cancel()


def _websocket(*args: Any, **more: Any) -> "WebSocket":
    from chatd.api.serving.connections.websocket import WebSocket  # noqa: PLC0415 - see there

    return WebSocket(*args, **more)


async def _end(server: uvicorn.Server, stop: asyncio.Event, end_streams: Callable[[], None]) -> None:
    await stop.wait()
    end_streams()
    server.should_exit = True


async def _abort_unread(server: uvicorn.Server, seconds: float) -> None:
    """End connections that were closed, and whose other end does not read the rest.

    A transport that is closed waits for that as long as it takes, and calls no method of its protocol.
    """
    before: dict[asyncio.Transport, int] = {}
    while True:
        await asyncio.sleep(seconds)
        transports = [each.transport for each in server.server_state.connections]
        rest = {each: each.get_write_buffer_size() for each in transports if each.is_closing()}
        for transport, unsent in rest.items():
            if unsent and transport in before and before[transport] - unsent < REST_BYTES_MIN:
                abort(transport)
        before = rest


def _config(app: ASGIApp, http: Callable[..., Http], ws: "Callable[..., WebSocket]") -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=http,  # type: ignore[arg-type]
        ws=ws,  # type: ignore[arg-type]
        ws_max_size=WEBSOCKET_BYTES_MAX,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """`app.py` handles signals; uvicorn would raise them once more at the end."""
        yield


def _cannot_listen(host: str, port: int, error: OSError) -> Unusable:
    return Unusable(
        f"Cannot listen on {host} port {port}: {error.strerror or error}. "
        "Is another server running there? Choose another address with --host and --port."
    )
