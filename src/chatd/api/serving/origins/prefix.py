"""Serves below a path, for a proxy that passes the whole path on. One that removes it is served as well."""

from urllib.parse import unquote

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class Prefixed:
    """Takes the prefix away from paths that have it. `/chatd` itself becomes `/chatd/`, by a redirect."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        """The prefix begins with a slash and does not end with one, or is empty; as it is in an address."""
        self._app = app
        self._prefix = unquote(prefix)
        self._raw_prefix = prefix.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if not self._prefix or not (path + "/").startswith(self._prefix + "/"):
            await self._app(scope, receive, send)
        elif path == self._prefix and scope["type"] == "http":
            # Relative, for we do not know what else comes before it.
            last = self._raw_prefix.decode().rpartition("/")[2]
            await RedirectResponse(f"{last}/", status_code=308)(scope, receive, send)
        else:
            raw: bytes = scope.get("raw_path") or b""
            rest = {"path": path.removeprefix(self._prefix), "raw_path": raw.removeprefix(self._raw_prefix)}
            await self._app({**scope, **rest}, receive, send)
