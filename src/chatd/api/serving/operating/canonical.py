"""One line in the log for each request, and one more in the numbers, with nothing that was said."""

import re
import time
from functools import lru_cache

import structlog
from msgspec import Struct
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatd.kit import tracing
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

# Callers can make up methods, and ask for paths without end: neither becomes a label.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
# A caller who left before there was an answer.
NO_ANSWER = "none"
# Series that are remembered: each route with a few statuses.
LABELLED_MAX = 1024

REQUESTS = Counter(
    "chatd_http_requests",
    "Requests, counted when their answer begins. `route` is the path as the API describes it, or `other` for "
    "files of the page and for what does not exist. `status` is `none` when the caller left before that.",
    ["method", "route", "status"],
)
REQUEST_SECONDS = Histogram(
    "chatd_http_request_seconds",
    "From a request to the beginning of its answer. Of a stream that is the time until it is open. `status` "
    "is its class: `2xx`, `4xx` and so on; `1xx` is a WebSocket that was opened.",
    ["route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


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
        started = time.perf_counter()

        async def send_marked(message: Message) -> None:
            if line.status is not None:
                # Begun: the rest of a stream goes by here piece by piece.
                pass
            elif message["type"].endswith("http.response.start"):
                _begin_answer(scope, line, message["status"], started)
                MutableHeaders(scope=message)[HEADER] = line.request_id
            elif message["type"] == "websocket.accept":
                _begin_answer(scope, line, SWITCHING_PROTOCOLS, started)
                ours = (HEADER.lower().encode(), line.request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), ours]}
            await send(message)

        try:
            with tracing.span("request", _method(scope), tracing.Kind.SERVER) as span:
                await self._app(scope, receive, send_marked)
                span.set({"http.route": line.route or OTHER, "http.response.status_code": line.status or 0})
        finally:
            if line.status is None:
                _requests(scope.get("method", "GET"), line.route, NO_ANSWER).inc()
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


def _method(scope: Scope) -> tracing.Attributes:
    method = scope.get("method", "GET")
    return {"http.request.method": method if method in METHODS else "_OTHER"}


def _begin_answer(scope: Scope, line: Line, status: int, started: float) -> None:
    line.status = status
    _requests(scope.get("method", "GET"), line.route, status).inc()
    _request_seconds(line.route, status // 100).observe(time.perf_counter() - started)


# To find a series takes longer than to count.
@lru_cache(maxsize=LABELLED_MAX)
def _requests(method: str, route: str | None, status: int | str) -> Counter:
    return REQUESTS.labels(method if method in METHODS else OTHER, route or OTHER, str(status))


@lru_cache(maxsize=LABELLED_MAX)
def _request_seconds(route: str | None, status_class: int) -> Histogram:
    return REQUEST_SECONDS.labels(route or OTHER, f"{status_class}xx")


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get(HEADER, "")
    return given if _SANE_ID.fullmatch(given) else new_id()
