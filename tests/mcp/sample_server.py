"""A server made with the official package: `sample_server.py stdio|streamable_http|json|sse FD WHICH`."""

import asyncio
import base64
import os
import sys
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_server_time.server import create_server  # type: ignore[import-untyped]
from mcp_types import CallToolResult, ImageContent, TextContent, ToolAnnotations
from pydantic import BaseModel

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

server = MCPServer("sample")


class Sum(BaseModel):
    total: int


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> Sum:
    """Add two numbers."""
    return Sum(total=a + b)


@server.tool()
def picture() -> Image:
    """A picture of one pixel."""
    return Image(data=PNG, format="png")


@server.tool(structured_output=False)
def both() -> CallToolResult:
    """Words and a picture."""
    picture = ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")
    return CallToolResult(content=[TextContent(type="text", text="a dot"), picture])


@server.tool(structured_output=False)
def only_structured() -> CallToolResult:
    """JSON without words."""
    return CallToolResult(content=[], structured_content={"answer": 42})


@server.tool()
def fails() -> str:
    """Always an error."""
    raise ToolError("the disk is full")


@server.tool()
async def steps(context: Context) -> str:
    """Says how far it is."""
    await context.report_progress(1, 2, "half of it")
    await context.report_progress(2, 2, "all of it")
    return "done"


@server.tool()
async def hangs() -> str:
    """Never returns."""
    await asyncio.Event().wait()
    return ""


@server.tool()
def environment(name: str) -> str:
    """A variable of the environment, or nothing."""
    return os.environ.get(name, "not there")


@server.tool(structured_output=False)
def headers(context: Context) -> str:
    """The headers that it was called with."""
    return str(dict(context.headers or {}))


@server.tool()
def quits() -> str:
    """Ends the whole server in the middle of the call."""
    os._exit(3)


@server.tool()
async def marks_and_hangs(path: str) -> str:
    """Appends a line to a file, and never returns."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("called\n")
    await asyncio.Event().wait()
    return ""


def main(way: str, fd: str = "", which: str = "sample") -> None:
    served = server if which == "sample" else create_server("UTC")
    if way == "stdio":
        served.run()
        return
    app = served.sse_app() if way == "sse" else served.streamable_http_app(json_response=way == "json")
    uvicorn.run(app, fd=int(fd), log_level="critical", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
