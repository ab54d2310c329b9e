"""Lets scripts of pages at other origins call the API: those that the settings name, and with a token only.

A browser asks before it lets a script of another origin read our answers. We never say that cookies are
welcome, so such a script can only do what the token allows that it has.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page itself is of no use to scripts of others.
API = "/api/"
# How long a browser remembers the answer.
ASKED_SECONDS = 600
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
# Not `X-Chatd-User`: whom a service speaks for is not for a browser to say.
SENT = "Authorization, Content-Type, Content-Disposition, Last-Event-ID, X-Request-Id"
# What a script may read beside the few that every script may.
READ = "Content-Disposition, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id"


class Cors:
    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "").lower()
        if origin not in self._origins:
            await self._app(scope, receive, _varying(send))
        elif scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            await _may_ask(origin)(scope, receive, send)
        else:
            await self._app(scope, receive, _varying(send, origin))


def _may_ask(origin: str) -> Response:
    """The browser compares it with what the script wants."""
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": METHODS,
            "Access-Control-Allow-Headers": SENT,
            "Access-Control-Max-Age": str(ASKED_SECONDS),
            "Vary": "Origin",
        },
    )


def _varying(send: Send, origin: str = "") -> Send:
    """Caches must not give one origin the answer to another."""

    async def send_with_origin(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.add_vary_header("Origin")
            if origin:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = READ
        await send(message)

    return send_with_origin
