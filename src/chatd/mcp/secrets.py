"""Takes what is secret of a server out of what it says (pure).

A server that shows the headers it was called with would tell a chat the key that an administrator keeps.
"""

from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

from chatd.catalog.mcp.server import McpServer
from chatd.domain.part import Json

HIDDEN = "[hidden]"
# What is shorter occurs by chance.
SECRET_CHARACTERS_MIN = 8


class Secrets:
    def __init__(self, server: McpServer) -> None:
        found = {value for value in _values(server) if len(value) >= SECRET_CHARACTERS_MIN}
        # The longest first: one may be part of another.
        self._found = sorted(found, key=lambda value: (-len(value), value))

    def out_of(self, text: str) -> str:
        for value in self._found:
            text = text.replace(value, HIDDEN)
        return text

    def out_of_json(self, value: Json) -> Json:
        match value:
            case str():
                return self.out_of(value)
            case dict():
                return {self.out_of(str(key)): self.out_of_json(inner) for key, inner in value.items()}
            case list():
                return [self.out_of_json(inner) for inner in value]
            case _:
                return value


def _values(server: McpServer) -> Iterable[str]:
    for header in server.headers.values():
        yield header
        # As in "Bearer …".
        yield header.rpartition(" ")[2]
    yield from server.env.values()
    try:
        url = urlsplit(server.url or "")
        yield unquote(url.password or "")
    except ValueError:
        return
    for _, value in parse_qsl(url.query):
        yield value
