"""`/metrics` for a listener of its own, without a token: only those reach it who may read the numbers."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.api import failures
from chatd.api.serving.operating.metrics import Metrics
from chatd.api.serving.origins.hosts import KnownHosts
from chatd.api.serving.origins.sites import Sites
from chatd.errors import NotFound

PATH = "/metrics"


def measured(metrics: Metrics, sites: Sites) -> ASGIApp:
    """Under the hosts of `sites` alone: no page of others can have its name lead here, and read along."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH:
            there = f"{PATH} is all that there is here."
            response = failures.refusal(NotFound("path_not_found", "There is nothing.", hint=there))
        elif scope["type"] != "http" or Request(scope).method not in ("GET", "HEAD"):
            response = failures.refusal(failures.WrongMethod(scope.get("method", "GET"), ("GET", "HEAD")))
        else:
            await metrics.ask()
            text, media_type = metrics.written()
            response = Response(text, headers={"Cache-Control": "no-store"}, media_type=media_type)
        await response(scope, receive, send)

    return KnownHosts(answer, sites)
