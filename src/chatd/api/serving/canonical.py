"""One line in the log for each request, with all that is worth knowing and nothing that was said."""

import re
import time

import structlog
from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatd.kit.ids import new_id

log = structlog.get_logger()

HEADER = "X-Request-Id"
# A caller may bring an id to find the request in several logs; it must not be able to forge a line.
_SANE_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,100}")
_SCOPE_KEY = "chatd.line"
# Asked every few seconds by whatever watches the server. What they find out is logged when it changes.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
# What HTTP calls the beginning of a WebSocket.
SWITCHING_PROTOCOLS = 101


class Line(Struct, kw_only=True):
    """Filled in on the way."""

    request_id: str
    route: str | None = None
    user: str | None = None
    status: int | None = None


def line_of(scope: Scope) -> Line:
    line = scope[_SCOPE_KEY]
    assert isinstance(line, Line)
    return line


class Canonical:
    """Gives each request its id, in and out, and writes its line when it is over."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        line = Line(request_id=_request_id(scope))
        scope[_SCOPE_KEY] = line

        async def send_marked(message: Message) -> None:
            if line.status is not None:
                # Begun: the rest of a stream goes by here piece by piece.
                pass
            elif message["type"].endswith("http.response.start"):
                line.status = message["status"]
                MutableHeaders(scope=message)[HEADER] = line.request_id
            elif message["type"] == "websocket.accept":
                line.status = SWITCHING_PROTOCOLS
                message = {**message, "headers": [(HEADER.lower().encode(), line.request_id.encode())]}
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, send_marked)
        finally:
            write = log.debug if line.route in PROBES else log.info
            write(
                "request.finished",
                method=scope.get("method", "GET"),
                route=line.route,
                status=line.status,
                milliseconds=round((time.perf_counter() - started) * 1000, 1),
                request_id=line.request_id,
                user=line.user,
            )


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get(HEADER, "")
    return given if _SANE_ID.fullmatch(given) else new_id()
