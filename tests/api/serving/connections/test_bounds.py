"""What a connection may send before it is known to be a request, and how long it may take."""

import asyncio
import json
from functools import partial
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.flow_control import FlowControl

from chatd.api import resource
from chatd.api.files.files import FILE_BYTES_MAX
from chatd.api.serving import uploads
from chatd.api.serving.connections import protocol
from chatd.api.serving.connections.protocol import HEAD_BYTES_MAX, PIPELINED_MAX
from tests.api.client import CHATS, Client
from tests.api.sockets import connected


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads what it is sent, and answers with its length."""
    size, more = 0, True
    while more:
        message: Message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await PlainTextResponse(f"{size} bytes")(scope, receive, send)


def head(size: int) -> bytes:
    """The head of a request, of exactly this size."""
    start, end = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ", b"\r\n\r\n"
    return start + b"a" * (size - len(start) - len(end)) + end


async def test_a_head_may_have_64_kib() -> None:
    async with connected(hello) as caller:
        for size in (1000, HEAD_BYTES_MAX, 1000):
            await caller.send(head(size))
            assert await caller.answer() == (b"HTTP/1.1 200 OK", b"0 bytes")


@pytest.mark.parametrize("piece", [HEAD_BYTES_MAX + 1, 1000])
async def test_a_larger_head_ends_the_connection(piece: int) -> None:
    data = head(HEAD_BYTES_MAX + 1)
    async with connected(hello) as caller:
        for start in range(0, len(data), piece):
            await caller.send(data[start : start + piece])

        assert await caller.rest() == b""


@pytest.mark.parametrize(
    "sent", [b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: much\r\n\r\n"]
)
async def test_what_is_no_http_is_told_so_in_the_shape_of_every_error(sent: bytes) -> None:
    async with connected(hello) as caller:
        await caller.send(sent)
        status, body = await caller.answer()

        assert status == b"HTTP/1.1 400 Bad Request"
        assert json.loads(body)["error"]["code"] == "not_http"
        assert await caller.rest() == b""


async def test_what_is_no_http_behind_a_request_does_not_end_up_in_its_answer() -> None:
    begun = asyncio.Event()

    async def answers_in_two_pieces(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"so", "more_body": True})
        begun.set()
        while (await receive())["type"] != "http.disconnect":
            pass

    async with connected(answers_in_two_pieces) as caller:
        await caller.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await begun.wait()
        await caller.send(b"hello\r\n\r\n")

        assert (await caller.rest()).endswith(b"\r\n\r\nso")


async def test_a_head_of_many_lines_that_never_ends_ends_the_connection() -> None:
    async with connected(hello) as caller:
        await caller.send(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * HEAD_BYTES_MAX)

        assert await caller.rest() == b""


async def test_a_body_may_be_larger_than_a_head_and_another_request_may_follow_at_once() -> None:
    size = 5 * HEAD_BYTES_MAX
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size

    async with connected(hello) as caller:
        await caller.send(request + request + head(1000))

        bodies = [(await caller.answer())[1] for _ in range(3)]
        assert bodies == [b"%d bytes" % size, b"%d bytes" % size, b"0 bytes"]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost"])
async def test_a_head_that_does_not_come_to_its_end_ends_the_connection(sent: bytes) -> None:
    async with connected(hello, head_seconds=0.01) as caller:
        await caller.send(sent)

        assert await caller.rest() == b""


async def test_a_second_head_that_does_not_come_to_its_end_ends_the_connection() -> None:
    async with connected(hello, head_seconds=0.2) as caller:
        await caller.send(head(1000))
        await caller.answer()
        await caller.send(b"GET / HTTP/1.1\r\nHost")

        assert await caller.rest() == b""


async def test_a_request_may_take_longer_than_its_head() -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        began.set()
        await go_on.wait()
        await hello(scope, receive, send)

    async with connected(slow, head_seconds=0.05) as caller:
        await caller.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
        await began.wait()
        asyncio.get_running_loop().call_later(0.1, go_on.set)  # twice as long as a head may take
        await go_on.wait()
        await caller.send(b"a")

        assert await caller.answer() == (b"HTTP/1.1 200 OK", b"1 bytes")


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def test_trailers_end_with_the_request_they_belong_to() -> None:
    async with connected(hello) as caller:
        await caller.send(CHUNKED + b"3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n" + head(1000))

        assert [(await caller.answer())[1] for _ in range(2)] == [b"3 bytes", b"0 bytes"]


@pytest.mark.parametrize(
    "endless",
    [
        pytest.param(b"0\r\n" + b"X: y\r\n" * HEAD_BYTES_MAX, id="many trailers"),
        pytest.param(b"0\r\nX: " + b"y" * 5 * HEAD_BYTES_MAX, id="one long trailer"),
        pytest.param(b"1;" + b"x" * 5 * HEAD_BYTES_MAX, id="one long chunk extension"),
    ],
)
async def test_what_is_neither_head_nor_body_is_bounded(endless: bytes) -> None:
    async with connected(hello) as caller:
        await caller.send(CHUNKED + b"3\r\nabc\r\n" + endless)

        assert await caller.rest() == b""


async def test_a_body_of_many_small_chunks_is_read_to_its_end() -> None:
    async with connected(hello) as caller:
        await caller.send(CHUNKED + b"1\r\na\r\n" * HEAD_BYTES_MAX + b"0\r\n\r\n")

        assert (await caller.answer())[1] == b"%d bytes" % HEAD_BYTES_MAX


async def test_a_trailer_is_no_header_of_the_request() -> None:
    async def names(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await PlainTextResponse(b" ".join(name for name, _ in scope["headers"]))(scope, receive, send)

    async with connected(names) as caller:
        await caller.send(CHUNKED + b"3\r\nabc\r\n0\r\nAuthorization: Bearer x\r\n\r\n")

        assert (await caller.answer())[1] == b"host transfer-encoding"


UNFINISHED = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n"


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers without a look at the body."""
    await PlainTextResponse("no", 401)(scope, receive, send)


@pytest.mark.parametrize("bytes_max", [protocol.LINGER_BYTES_MAX, 0])
async def test_after_an_early_answer_the_rest_of_the_body_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch, bytes_max: int
) -> None:
    monkeypatch.setattr(protocol, "LINGER_BYTES_MAX", bytes_max)
    async with connected(refuse, linger_seconds=0.05) as caller:
        await caller.send(UNFINISHED)
        assert (await caller.answer())[1] == b"no"
        # uvicorn's own timer for idle connections ends with the first byte.
        await caller.send(b"a")

        assert await caller.rest() == b""


async def test_after_an_early_answer_nothing_of_the_body_is_kept() -> None:
    requests: list[Any] = []

    async def refuse_at_once(scope: Scope, receive: Receive, send: Send) -> None:
        requests.append(receive)
        await refuse(scope, receive, send)

    async with connected(refuse_at_once) as caller:
        await caller.send(UNFINISHED + b"a" * 1000)
        assert (await caller.answer())[1] == b"no"

        (receive,) = requests
        assert receive.__self__.body == b""


async def test_who_sends_a_body_to_its_end_before_reading_sees_an_early_answer() -> None:
    """As many libraries do. A connection that is closed while they send is all they would see."""
    size = FILE_BYTES_MAX * 2
    async with connected(refuse) as caller:
        await caller.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size)

        assert await caller.answer() == (b"HTTP/1.1 401 Unauthorized", b"no")


async def test_after_an_early_answer_only_so_much_of_the_body_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "LINGER_BYTES_MAX", 1000)
    connections: list[FlowControl] = []

    async def refuse_at_once(scope: Scope, receive: Any, send: Send) -> None:
        connections.append(receive.__self__.flow)
        await refuse(scope, receive, send)

    async with connected(refuse_at_once) as caller:
        await caller.send(UNFINISHED)
        assert (await caller.answer())[1] == b"no"
        await caller.send(b"a" * 1001)

        while not connections[0].read_paused:  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(0)


async def test_after_an_early_answer_and_the_rest_of_the_body_another_request_may_follow() -> None:
    async with connected(refuse) as caller:
        for _ in range(2):
            await caller.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
            assert (await caller.answer())[1] == b"no"
            await caller.send(b"cd")


async def test_many_requests_without_waiting_for_answers_end_the_connection() -> None:
    waits = asyncio.Event()

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        await waits.wait()

    async with connected(never) as caller:
        await caller.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * (PIPELINED_MAX + 2))

        assert await caller.rest() == b""
        waits.set()


@pytest.mark.parametrize(
    ("path", "content_type", "begins"),
    [
        (CHATS, "application/json", b"{"),
        ("/api/v1/files", "text/plain", b"hello"),
        ("/api/v1/files", "multipart/form-data; boundary=x", b"--x\r\nContent-"),
    ],
)
async def test_a_body_that_does_not_come_to_its_end_is_told_so(
    client: Client, app: ASGIApp, monkeypatch: pytest.MonkeyPatch, path: str, content_type: str, begins: bytes
) -> None:
    for module, name in ((resource, "read_body"), (uploads, "read_body"), (uploads, "receive_body")):
        monkeypatch.setattr(module, name, partial(getattr(module, name), seconds=0.01))
    token = client.token
    assert token is not None
    request = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: 90\r\n\r\n"
    )

    async with connected(app) as caller:
        await caller.send(request.encode() + begins)
        status, body = await caller.answer()

        assert status == b"HTTP/1.1 408 Request Timeout"
        assert b'"code":"body_too_slow"' in body
        # Nobody waits for the rest of it.
        assert await caller.rest() == b""
