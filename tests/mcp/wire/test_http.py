import asyncio
import gzip
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chatd.catalog.mcp.server import McpServer, Transport
from chatd.kit.outbound.reach import Reach
from chatd.mcp.connections.session import McpError
from chatd.mcp.limits import MESSAGE_BYTES_MAX
from chatd.mcp.wire.http import public_addresses
from tests.mcp.running import USER, Bench, Way, a_bench, at, raw_http


class Script:
    """Answers each request of a method of MCP with bytes that a test wrote."""

    def __init__(self, **answers: bytes) -> None:
        self._answers = answers
        self.seen: list[tuple[str, dict[str, str]]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode().rstrip().split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method = json.loads(body)["method"] if body else first.partition(" ")[0]
                self.seen.append((method, headers))
                writer.write(self._answers.get(method.rpartition("/")[2], NOT_THERE))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    named = {"content-type": "application/json", **{key.replace("_", "-"): headers[key] for key in headers}}
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *(f"{k}: {v}" for k, v in named.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def result(number: int, **fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": fields}).encode()


NOT_THERE = answer(b"", "405 Method Not Allowed")
HELLO = result(
    1, protocolVersion="2025-06-18", capabilities={"tools": {}}, serverInfo={"name": "x", "version": "1"}
)
ACCEPTED = answer(b"", "202 Accepted")
NO_TOOLS = answer(result(2, tools=[]))


async def problem_of(bench: Bench) -> str:
    assert await bench.offered() == ()
    return bench.connections.state_of(USER, bench.servers[0]).problem or ""


async def problem_with(script: Script, **more: Any) -> str:
    async with raw_http(script.serve) as port, a_bench(at(port, Way.JSON, **more)) as bench:
        return await problem_of(bench)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("401 Unauthorized", "sign in again"),
        ("403 Forbidden", "does not let us in"),
        ("404 Not Found", "no MCP server at this address"),
        ("500 Internal Server Error", "HTTP 500"),
    ],
)
async def test_a_status_is_told_in_words(status: str, told: str) -> None:
    refused = answer(b"{}", status)

    assert told in await problem_with(Script(initialize=refused, discover=refused))


async def test_headers_are_sent_and_compression_is_not_asked_for() -> None:
    script = Script(initialize=answer(HELLO), initialized=ACCEPTED, list=NO_TOOLS)
    key = {"Authorization": "Bearer key-of-mine"}
    async with raw_http(script.serve) as port, a_bench(at(port, Way.JSON, headers=key)) as bench:
        await bench.offered()

    assert [method for method, _ in script.seen[:2]] == ["initialize", "notifications/initialized"]
    for _, headers in script.seen:
        assert headers["authorization"] == "Bearer key-of-mine"
        assert headers["accept-encoding"] == "identity"


async def test_what_is_compressed_all_the_same_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 100_000_000)

    assert "compresses" in await problem_with(Script(initialize=answer(bomb, content_encoding="gzip")))


async def test_a_body_that_is_too_large_is_not_read_to_its_end() -> None:
    body = b'{"jsonrpc":"2.0","id":1,"result":"' + b"x" * (MESSAGE_BYTES_MAX + 1) + b'"}'

    assert "more than 8 MiB" in await problem_with(Script(initialize=answer(body)))


async def test_an_event_that_is_too_large_is_not_read_to_its_end() -> None:
    event = b"data: " + b"x" * (MESSAGE_BYTES_MAX + 1) + b"\n\n"
    streamed = answer(event, content_type="text/event-stream")

    assert "more than 8 MiB" in await problem_with(Script(initialize=streamed))


async def test_a_redirect_to_another_place_is_not_followed_and_the_key_not_sent_there() -> None:
    elsewhere = Script(initialize=answer(HELLO))
    async with raw_http(elsewhere.serve) as other:
        moved = answer(b"", "307 Temporary Redirect", location=f"http://127.0.0.1:{other}/mcp")
        problem = await problem_with(
            Script(initialize=moved, discover=moved), headers={"x-key": "secret-key"}
        )

    assert "Redirect" in problem
    assert elsewhere.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/mcp",
        "http://localhost:{port}/mcp",
        "http://2130706433:{port}/mcp",
        "http://0x7f.1:{port}/mcp",
        "http://0:{port}/mcp",
        "http://[::1]:{port}/mcp",
        "http://[::ffff:127.0.0.1]:{port}/mcp",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/mcp",
    ],
)
@pytest.mark.parametrize("transport", [Transport.STREAMABLE_HTTP, Transport.SSE])
async def test_private_addresses_are_refused_however_they_are_written(url: str, transport: Transport) -> None:
    script = Script(initialize=answer(HELLO))
    async with raw_http(script.serve) as port:
        server = McpServer(id="m-1", slug="x", transport=transport, url=url.format(port=port))
        async with a_bench(server) as bench:
            problem = await problem_of(bench)

    assert "private network" in problem or "not known" in problem
    assert script.seen == []


async def test_a_name_with_a_public_and_a_private_address_is_refused() -> None:
    """Which one is called would be chance, or the choice of an attacker."""

    async def look_up(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    with pytest.raises(McpError, match="private network"):
        await public_addresses("rebinding.example", 443, Reach(private_hosts=False, resolve=look_up))


async def test_names_of_servers_are_not_looked_up_in_the_threads_of_everything_else() -> None:
    """A name server that never answers would hold all of them."""
    loop, busy = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    held = loop.run_in_executor(None, busy.wait)
    try:
        with pytest.raises(McpError, match="private network"):
            await public_addresses("localhost", 443)
    finally:
        busy.set()
        await held


@pytest.mark.parametrize("url", ["", "not a url", "file:/etc/passwd", "http://", "ftp://example.com/"])
async def test_what_is_no_address_is_told(url: str) -> None:
    server = McpServer(id="m-1", slug="x", transport=Transport.STREAMABLE_HTTP, url=url)
    async with a_bench(server) as bench:
        assert await problem_of(bench) != ""
