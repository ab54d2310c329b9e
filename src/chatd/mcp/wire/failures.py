"""What went wrong with a server, in words without secrets: no message has an address, a header or a body."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import ValidationError

from chatd.kit.text import one_line, shortened
from chatd.mcp.connections.session import McpError
from chatd.mcp.limits import REASON_CHARACTERS_MAX
from chatd.mcp.wire.http import Exchange
from chatd.workspaces.processes import CannotStart

BROKE_OFF = "The connection to the server broke off."
NOT_IN_TIME = "The server did not answer in time."
NOT_MCP = "The server sent something that is not MCP."

_STATUSES: Mapping[int, str] = {
    401: "The server wants to know who we are (HTTP 401). Check the key, or sign in again.",
    403: "The server does not let us in (HTTP 403). Check the key and what it is allowed to do.",
    404: "There is no MCP server at this address (HTTP 404).",
    405: "The server does not take this kind of request (HTTP 405). Is it the other transport?",
    429: "The server had too many requests (HTTP 429). Try again later.",
}


def of_status(status: int) -> str:
    return _STATUSES.get(status, f"The server answered with HTTP {status}.")


def _of_refusal(error: MCPError) -> str:
    match error.code:
        case code if code == CONNECTION_CLOSED:
            return BROKE_OFF
        case code if code == REQUEST_TIMEOUT:
            return NOT_IN_TIME
        case code if code == PARSE_ERROR:
            return NOT_MCP
        case _:
            said = shortened(one_line(str(error.error.message)), REASON_CHARACTERS_MAX)
            return f"The server refused: {said}"


# The first that fits. Others are our own mistakes: their names say more than nothing.
_REASONS: tuple[tuple[type[BaseException], Callable[[Any], str]], ...] = (
    (McpError, str),
    (CannotStart, str),
    (MCPError, _of_refusal),
    (httpx2.HTTPStatusError, lambda error: of_status(error.response.status_code)),
    (httpx2.ConnectTimeout, lambda _: "The server cannot be reached: no answer."),
    (httpx2.ConnectError, lambda _: "The server cannot be reached."),
    (httpx2.TimeoutException, lambda _: NOT_IN_TIME),
    (httpx2.SSEError, lambda _: NOT_MCP),
    (httpx2.TransportError, lambda _: BROKE_OFF),
    (httpx2.InvalidURL, lambda _: "The address of the server cannot be read."),
    (ValidationError, lambda _: NOT_MCP),
    (TimeoutError, lambda _: NOT_IN_TIME),
    (OSError, lambda error: f"The server cannot be reached: {error.strerror or type(error).__name__}."),
)


def reason_of(error: BaseException, exchange: Exchange | None = None) -> str:
    """What was noticed of the exchange over HTTP tells more than what the package made of it."""
    leaves = list(_leaves(error))
    ours = next((leaf for leaf in leaves if isinstance(leaf, McpError)), None)
    if ours is None and exchange is not None:
        if exchange.too_large is not None:
            return exchange.too_large
        if exchange.failed_with is not None:
            return of_status(exchange.failed_with)
    for kind, told in _REASONS:
        for leaf in leaves:
            if isinstance(leaf, kind):
                return told(leaf)
    return f"The server cannot be used: {type(leaves[0]).__name__}."


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The package and we use task groups in one another."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
