"""Refuses requests that were meant for another host.

A page of others can have its name lead to this machine, and its scripts then speak with us as if we were its
own server. What they cannot change is the name that the browser sends along.
"""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.api import failures
from chatd.api.serving.origins.sites import Sites

# Asked by whatever watches the server, under the address of a machine or a container. They tell nothing.
EXEMPT = frozenset({"/healthz", "/readyz"})


class KnownHosts:
    def __init__(self, app: ASGIApp, sites: Sites) -> None:
        self._app = app
        self._sites = sites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in EXEMPT or self._sites.serves(Headers(scope=scope)):
            await self._app(scope, receive, send)
        else:
            await failures.refusal(failures.UnknownHost())(scope, receive, send)
