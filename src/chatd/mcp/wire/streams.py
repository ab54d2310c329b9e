"""Between a transport and the session: what is let through of what a server sends on its own.

The session of the package starts a task for each request and each notification of a server, without a bound.
So it is given answers and progress only. Requests are answered here, one after the other: a server that
floods us without reading our answers waits for itself.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    METHOD_NOT_FOUND,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

# The package has its types of streams in no public module.
Streams: TypeAlias = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]
Answers: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]

PING = "ping"
PROGRESS = "notifications/progress"
TOOLS_CHANGED = "notifications/tools/list_changed"

NOT_OFFERED = "This client offers tools to a model, and nothing else."


class Seen:
    """What the filter has noticed."""

    def __init__(self) -> None:
        self.ended = False
        self.tools_changed = False


@asynccontextmanager
async def filtered(streams: Streams, seen: Seen) -> AsyncIterator[Answers]:
    read, write = streams
    let_through, answers = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with asyncio.TaskGroup() as group:
        filtering = group.create_task(_filter(read, write, let_through, seen), name="mcp filter")
        try:
            yield answers
        finally:
            filtering.cancel()
            let_through.close()
            answers.close()


async def _filter(
    read: ReadStream[SessionMessage | Exception],
    write: WriteStream[SessionMessage],
    let_through: MemoryObjectSendStream[SessionMessage | Exception],
    seen: Seen,
) -> None:
    try:
        async with let_through:
            async for item in read:
                await _treat(item, write, let_through, seen)
    finally:
        seen.ended = True


async def _treat(
    item: SessionMessage | Exception,
    write: WriteStream[SessionMessage],
    let_through: MemoryObjectSendStream[SessionMessage | Exception],
    seen: Seen,
) -> None:
    match item:
        case SessionMessage(message=JSONRPCRequest() as request):
            await write.send(SessionMessage(_answer(request)))
        case SessionMessage(message=JSONRPCNotification(method=method)) if method != PROGRESS:
            seen.tools_changed = seen.tools_changed or method == TOOLS_CHANGED
        case SessionMessage():
            await let_through.send(item)
        case Exception():
            pass  # Something that is no message. Who waits for an answer has a time limit.


def _answer(request: JSONRPCRequest) -> JSONRPCResponse | JSONRPCError:
    if request.method == PING:
        return JSONRPCResponse(jsonrpc="2.0", id=request.id, result={})
    refusal = ErrorData(code=METHOD_NOT_FOUND, message=NOT_OFFERED)
    return JSONRPCError(jsonrpc="2.0", id=request.id, error=refusal)
