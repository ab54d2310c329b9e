"""A tool of a server as a tool like any other: its arguments, its effect, and how it is called."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from chatd.catalog.mcp.server import McpServer
from chatd.domain.call import Effect
from chatd.domain.ids import UserId
from chatd.domain.part import Json
from chatd.kit.text import one_line, shortened
from chatd.mcp.connections.connections import Connections
from chatd.mcp.connections.session import McpError, OpenPipes
from chatd.mcp.limits import PROGRESS_CHARACTERS_MAX, PROGRESS_LINES_MAX
from chatd.mcp.tools.intent import with_intent
from chatd.mcp.tools.listing import ListedTool
from chatd.mcp.tools.results import result_of
from chatd.tools.arguments import by_schema
from chatd.tools.tool import AnyTool, Setting, Tool, ToolError

GONE = (
    "{tool} cannot be used any more: its MCP server was removed or turned off, does not allow this tool now, "
    "or is not trusted. Tell the user."
)
# What a call may take beside the time of the server: to connect anew, and to be told to stop.
GRACE_SECONDS = 15.0


class Wanted(Struct, frozen=True, kw_only=True):
    """A server that a chat is to have, and how its program is started, if it has one."""

    server: McpServer
    open_pipes: OpenPipes | None = None
    # The id that people know it by, where that of the connection is another.
    known_as: str | None = None


# The servers of a chat as they are now. Those that come first keep their names when two have the same.
Source = Callable[[], Awaitable[Sequence[Wanted]]]


class Remote(Struct, frozen=True, kw_only=True):
    """A tool where it is: with which server, and what it is called there."""

    connections: Connections
    user_id: UserId
    source: Source
    server_id: str
    tool: str

    async def call(self, args: dict[str, Json], setting: Setting) -> Json:
        """The server is looked up again: meanwhile its key may be another one, or its file not be trusted."""
        wanted = await self._wanted()
        try:
            connection = await self.connections.to(self.user_id, wanted.server, wanted.open_pipes)
            answer = await connection.call(self.tool, args, shower(setting))
        except McpError as error:
            raise ToolError(str(error)) from error
        return result_of(answer)

    async def _wanted(self) -> Wanted:
        for wanted in await self.source():
            if wanted.server.id == self.server_id and is_allowed(wanted.server, self.tool):
                return wanted
        raise ToolError(GONE.format(tool=self.tool))


def make_tool(name: str, wanted: Wanted, listed: ListedTool, remote: Remote) -> AnyTool:
    """What a call touches is not known, so that people are asked unless a rule allows the name."""
    server = wanted.server
    plain = by_schema(listed.input_schema)
    return Tool(
        name=name,
        description=listed.description or f"{listed.name} of the MCP server {server.slug}.",
        arguments=with_intent(plain) if server.model_intent else plain,
        # What a server says of itself is its own risk when a call is repeated after a crash. That it changes
        # nothing is not believed: files are kept before a call that may.
        effect=Effect.REPEATABLE if listed.idempotent else Effect.ONCE,
        run=remote.call,
        server_id=wanted.known_as or server.id,
        seconds_max=server.connect_seconds + server.call_seconds + GRACE_SECONDS,
    )


def is_allowed(server: McpServer, tool: str) -> bool:
    return tool not in server.deny and (not server.allow or tool in server.allow)


def shower(setting: Setting) -> Callable[[str], None]:
    """Shows viewers what a call says of itself: clean lines, and not more than anyone reads."""
    shown = 0

    def show(text: str) -> None:
        nonlocal shown
        shown += 1
        if shown <= PROGRESS_LINES_MAX:
            setting.show(shortened(one_line(text), PROGRESS_CHARACTERS_MAX) + "\n")

    return show
