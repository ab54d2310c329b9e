"""One connection to a server: it lives in a task of its own, and is called from others."""

import asyncio
from contextlib import AsyncExitStack

import structlog

from chatd.catalog.mcp.server import McpServer
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.mcp.connections.opening import OpenSession
from chatd.mcp.connections.session import CallFailed, McpError, OpenPipes, Progress, Session
from chatd.mcp.secrets import Secrets
from chatd.mcp.tools.listing import Listing, read_listing

CLOSED = "The connection to the server was closed."

log = structlog.get_logger()


class Connection:
    """`run` is its whole life: the package enters and leaves its scopes in that one task."""

    def __init__(
        self, server: McpServer, open_session: OpenSession, open_pipes: OpenPipes | None, clock: Clock
    ) -> None:
        self.server = server
        self.used_at = clock.monotonic()
        self.calls = 0
        # Why it could not be made, or was lost.
        self.reason: str | None = None
        self._open_session = open_session
        self._open_pipes = open_pipes
        self._clock = clock
        self._secrets = Secrets(server)
        self._session: Session | None = None
        self._listing: Listing | None = None
        self._listing_anew = asyncio.Lock()
        self._begun = asyncio.Event()
        self._closing = asyncio.Event()
        self._unused = asyncio.Event()
        self._unused.set()

    @property
    def is_over(self) -> bool:
        """Whether another one has to be made."""
        ended = self._session is not None and self._session.has_ended
        return self.reason is not None or self._closing.is_set() or ended

    @property
    def is_made(self) -> bool:
        return self._session is not None and not self.is_over

    @property
    def listing(self) -> Listing | None:
        """As it was last read."""
        return self._listing

    async def run(self) -> None:
        """Never raises: what goes wrong is told to callers, and is in `reason`."""
        try:
            async with AsyncExitStack() as opened:
                self._session = await self._open(opened)
                self._begun.set()
                await self._closing.wait()
                await self._last_calls()
        except McpError as error:
            self._fail(self._secrets.out_of(str(error)))
        except Exception:
            # No mistake of the server. Without the traceback's variables, so without secrets.
            log.exception("mcp.crashed", server=self.server.id)
            self._fail("The connection broke because of a mistake in chatd. The log of the server says more.")
        finally:
            self._fail(CLOSED)

    async def _open(self, opened: AsyncExitStack) -> Session:
        try:
            async with asyncio.timeout(self.server.connect_seconds):
                opening = self._open_session(self.server, self._open_pipes)
                session = await opened.enter_async_context(opening)
                self._listing = await read_listing(session)
        except TimeoutError:
            raise McpError(
                f"The server did not answer within {self.server.connect_seconds:g} seconds."
            ) from None
        return session

    def _fail(self, reason: str) -> None:
        """The first reason is the one that counts."""
        self.reason = self.reason or reason
        self._begun.set()

    async def _last_calls(self) -> None:
        """Calls that are under way may end."""
        try:
            async with asyncio.timeout(self.server.call_seconds):
                await self._unused.wait()
        except TimeoutError:
            pass  # They have a limit of their own, and are told that the connection was closed.

    def close(self) -> None:
        """Soon. What is under way may end."""
        self._closing.set()

    async def begun(self) -> None:
        """Returns when it is made. Raises McpError when it is not."""
        await self._begun.wait()
        if self._session is None or self.reason is not None:
            raise McpError(self.reason or CLOSED)

    async def tools(self) -> Listing:
        """Read again if the server said that they changed. Raises McpError."""
        await self.begun()
        session = self._usable()
        async with self._listing_anew:
            if session.has_changed:
                try:
                    async with asyncio.timeout(self.server.connect_seconds):
                        self._listing = await read_listing(session)
                except TimeoutError:
                    raise McpError("The server did not list its tools in time.") from None
        assert self._listing is not None
        return self._listing

    async def call(self, tool: str, args: dict[str, Json], progress: Progress) -> dict[str, Json]:
        """The answer, without what is secret of the server. Raises McpError."""
        session = self._usable()
        self._use()
        try:
            async with asyncio.timeout(self.server.call_seconds):
                answer = await session.call(tool, args, lambda text: progress(self._secrets.out_of(text)))
        except TimeoutError:
            raise CallFailed(
                f"The server did not answer within {self.server.call_seconds:g} seconds. It was told to "
                "stop, and may have done what it was asked for."
            ) from None
        except McpError as error:
            raise type(error)(self._secrets.out_of(str(error))) from error
        finally:
            self._unuse()
        cleaned: dict[str, Json] = self._secrets.out_of_json(answer)
        return cleaned

    def _usable(self) -> Session:
        if self._session is None or self.is_over:
            raise McpError(self.reason or CLOSED)
        return self._session

    def _use(self) -> None:
        self.calls += 1
        self._unused.clear()

    def _unuse(self) -> None:
        self.calls -= 1
        self.used_at = self._clock.monotonic()
        if not self.calls:
            self._unused.set()
