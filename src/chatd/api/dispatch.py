"""Gives each request to the resource of its path."""

from collections.abc import Mapping, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.api.chats.streams.resource import StreamResource
from chatd.api.chats.streams.stream import AnyStream
from chatd.api.paths import Paths
from chatd.api.resource import Resource
from chatd.api.router import NO_FIELDS, AnyRoute, Server
from chatd.domain.people.deeds import CHAT_DEEDS, Cell, Deed


class Table:
    """What there is, by its path. Raises where a route or a stream names no deed that fits."""

    def __init__(self, routes: Sequence[AnyRoute], streams: Sequence[AnyStream] = ()) -> None:
        for route in routes:
            fields = {**route.by_field, **route.instead}
            check_deed(route.path, route.deed, fields, for_guests=route.for_guests)
        for stream in streams:
            check_deed(stream.path, stream.deed, for_guests=stream.for_guests)
        self.streams = {stream.path: stream for stream in streams}
        self.routes: dict[str, list[AnyRoute]] = {}
        for route in routes:
            self.routes.setdefault(route.path, []).append(route)
        self.paths = Paths((*self.streams, *self.routes))


class Dispatch:
    """A path with a slash too many is a different path; a redirect would lose the body on the way."""

    def __init__(self, server: Server, table: Table, otherwise: ASGIApp) -> None:
        """`otherwise` answers where there is nothing."""
        self._server = server
        self._table = table
        self._otherwise = otherwise
        # Each is made when it is first asked for. There are as many as the table has paths.
        self._made: dict[str, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._table.paths.find(scope["path"])
        # Over a WebSocket there are streams, and nothing else.
        if found is None or (scope["type"] == "websocket" and found.path not in self._table.streams):
            await self._otherwise(scope, receive, send)
            return
        scope["path_params"] = found.parameters
        resource = self._made.get(found.path) or self._make(found.path)
        await resource(scope, receive, send)

    def _make(self, path: str) -> ASGIApp:
        stream = self._table.streams.get(path)
        made: ASGIApp = (
            StreamResource(self._server, stream)
            if stream is not None
            else Resource(self._server, self._table.routes[path])
        )
        self._made[path] = made
        return made


def check_deed(
    route_path: str, deed: Deed, by_field: Mapping[str, Deed] = NO_FIELDS, *, for_guests: bool = False
) -> None:
    """A path that names a chat has deeds that are done to a chat, and no other path has one, but those for
    guests: what they do, the table lets them.
    """
    of_chat = for_guests or "{chat_id}" in route_path
    for each in (deed, *by_field.values()):
        assert (each in CHAT_DEEDS) is of_chat, f"{each} is not a deed for {route_path}"
        is_of_guests = each in CHAT_DEEDS and CHAT_DEEDS[each].guest is not Cell.NO
        assert is_of_guests or not for_guests, f"{each} is not a deed of guests"
