"""Messages over the pipes of a program: one on each line, each of bounded size."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from chatd.mcp.connections.session import McpError
from chatd.mcp.limits import GARBAGE_LINES_MAX
from chatd.mcp.wire.failures import NOT_MCP
from chatd.mcp.wire.meter import Lines
from chatd.mcp.wire.streams import Streams
from chatd.workspaces.pipes import Hangup, Pipes


@asynccontextmanager
async def stdio_streams(pipes: Pipes) -> AsyncIterator[Streams]:
    said, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, to_say = anyio.create_memory_object_stream[SessionMessage](0)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_read(pipes, said), name="mcp stdio reader"),
            group.create_task(_write(pipes, to_say), name="mcp stdio writer"),
        ]
        try:
            yield read, write
        finally:
            for task in tasks:
                task.cancel()
            for stream in (said, read, write, to_say):
                stream.close()


async def _read(pipes: Pipes, said: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    lines = Lines()
    garbage = 0
    # Closed at the end: then the session knows that no answer will come.
    async with said:
        while chunk := await pipes.read():
            for line in lines.take(chunk):
                if (message := _message(line)) is not None:
                    await said.send(message)
                elif line.strip():
                    garbage += 1
            if garbage > GARBAGE_LINES_MAX:
                raise McpError("The program prints lines that are no messages of MCP.")


def _message(line: bytes) -> SessionMessage | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return _unreadable(line)


def _unreadable(line: bytes) -> SessionMessage | None:
    """An answer that is no message of the protocol: who waits for it is told at once."""
    try:
        answered = msgspec.json.decode(line, type=_Answer)
    except (msgspec.DecodeError, RecursionError):
        return None
    error = ErrorData(code=PARSE_ERROR, message=NOT_MCP)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=answered.id, error=error))


class _Answer(msgspec.Struct):
    id: int | str


async def _write(pipes: Pipes, to_say: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with to_say:
        async for item in to_say:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await pipes.write(text.encode() + b"\n")
            except Hangup:
                raise McpError("The program does not take messages any more.") from None
