"""A session with a server, as the rest of the program knows it: plain values, and nothing of the package."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

from chatd.domain.part import Json
from chatd.workspaces.pipes import Pipes

# Starts the program of a server that is spoken to over pipes.
OpenPipes = Callable[[], AbstractAsyncContextManager[Pipes]]
# Is told what a call says of itself while it runs.
Progress = Callable[[str], None]


class McpError(Exception):
    """It could not be done. The message is for people and models, and has no secret in it."""


class CallFailed(McpError):
    """The server answered the call with an error; the connection is as good as before."""


class RawTool(Struct, frozen=True, kw_only=True):
    """A tool as its server declares it. Nothing of it is checked."""

    name: str
    description: str
    input_schema: Json
    # Says of itself that a second call with the same arguments changes nothing more.
    idempotent: bool = False
    # Says of itself that it changes nothing.
    read_only: bool = False


class Page(Struct, frozen=True, kw_only=True):
    tools: tuple[RawTool, ...]
    # Where the list goes on; None at its end.
    cursor: str | None = None


class Session(Protocol):
    async def list_tools(self, cursor: str | None) -> Page: ...

    async def call(self, tool: str, args: dict[str, Json], tell: Progress) -> dict[str, Json]:
        """The result as the server sent it. Raises McpError."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether the server can be called no more."""
        ...

    @property
    def has_changed(self) -> bool:
        """Whether the server said that its list of tools has changed, since it was last asked for."""
        ...
