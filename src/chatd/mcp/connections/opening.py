"""Opens sessions, with a package that is imported when the first one is opened."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from chatd.catalog.mcp.server import McpServer
from chatd.kit.concurrency.once import Once
from chatd.mcp.connections.session import OpenPipes, Session

# Opens a session for as long as the block lasts. Raises McpError.
OpenSession = Callable[[McpServer, OpenPipes | None], AbstractAsyncContextManager[Session]]


def wire_sessions() -> OpenSession:
    """Sessions over real transports. The import takes most of a second, in a thread: no event loop waits."""
    wire = Once(_import)

    @asynccontextmanager
    async def open_session(server: McpServer, open_pipes: OpenPipes | None) -> AsyncIterator[Session]:
        opened = await wire.value()
        async with opened(server, open_pipes) as session:
            yield session

    return open_session


def _import() -> OpenSession:
    from chatd.mcp.wire.client import keep_quiet, open_session  # noqa: PLC0415 - see above

    keep_quiet()
    return open_session
