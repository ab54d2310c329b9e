"""Viewers who do not take what they are sent: over real sockets, which they do not read."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import pytest
from msgspec import Struct

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.api.serving.connections.websocket import FRAGMENT_BYTES_MAX
from chatd.api.serving.connections.write_timeout import UNSENT_BYTES_MAX
from chatd.domain.ids import UserId
from chatd.kit.clock import SystemClock
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.live.listening import CHAT
from tests.words import create, says, step

HOST = "127.0.0.1"
STREAM = f"/api/v1/chats/{CHAT}/stream"
# Short, so that a test need not wait for long; long enough for somebody who reads.
SEND_SECONDS = 1.0
PATIENCE_SECONDS = 30
LONG = "word " * 50_000
# What is said in all must be more than the buffers of the system take by themselves.
MESSAGES = 60

WAYS = {
    "websocket": (
        "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    ),
    "sse": "Accept: text/event-stream\r\n",
}


class Site(Struct, frozen=True):
    store: Store
    live: Live
    listener: socket.socket
    token: str

    @property
    def viewers(self) -> int:
        return len(self.live.streams._bells)

    @contextmanager
    def viewer_that_does_not_read(self, way: str) -> Iterator[socket.socket]:
        with socket.socket() as viewer:
            viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            viewer.connect(self.listener.getsockname())
            head = f"GET {STREAM} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n"
            viewer.sendall((head + WAYS[way] + "\r\n").encode())
            yield viewer


@pytest.fixture
async def site(store: Store, owner: UserId) -> AsyncIterator[Site]:
    stop, listening = asyncio.Event(), asyncio.Event()
    live = Live(store, SystemClock())
    await create_chat(store, create())
    with bound(HOST, 0) as listener:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            group.create_task(
                serve_http(
                    build(store, live),
                    listener,
                    stop=stop,
                    ready=listening.set,
                    end_streams=live.streams.end,
                    send_seconds=SEND_SECONDS,
                )
            )
            await listening.wait()
            yield Site(store, live, listener, await create_token(store.db, owner, "test"))
            stop.set()


async def until(look: Callable[[], bool]) -> None:
    while not look():  # noqa: ASYNC110 - what happens to a socket gives no sign of itself
        await asyncio.sleep(0)


def was_reset(viewer: socket.socket) -> bool:
    """Whether the server has ended the connection, and kept nothing of it."""
    return viewer.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNRESET


async def speak(site: Site, then: Callable[[], Awaitable[Any]]) -> None:
    """Long messages, one by one; after each, something else happens."""
    for _ in range(MESSAGES):
        await transact(site.store, CHAT, step(says(LONG)))
        await then()


async def nothing() -> None:
    await asyncio.sleep(0)


@pytest.mark.parametrize("way", WAYS)
async def test_a_viewer_who_takes_nothing_is_disconnected_and_nothing_is_kept_for_them(
    site: Site, way: str
) -> None:
    with site.viewer_that_does_not_read(way) as viewer:
        await until(lambda: site.viewers == 1)

        await speak(site, nothing)

        await until(lambda: was_reset(viewer))
        await until(lambda: site.viewers == 0)


@pytest.mark.parametrize("way", WAYS)
async def test_a_viewer_who_takes_nothing_holds_up_no_other(site: Site, way: str) -> None:
    headers = {"Authorization": f"Bearer {site.token}"}
    with site.viewer_that_does_not_read(way):
        await until(lambda: site.viewers == 1)
        async with (
            aiohttp.ClientSession(address_of(HOST, site.listener), headers=headers) as session,
            session.ws_connect(STREAM, max_msg_size=0) as socket,
        ):
            await socket.receive()

            async def is_told() -> None:
                while '"type":"message"' not in (await socket.receive()).data:
                    pass

            await speak(site, is_told)
            assert not socket.closed


async def test_a_message_larger_than_a_fragment_arrives_whole(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.token}"}
    words = "wörd " * (FRAGMENT_BYTES_MAX // 2)
    async with (
        aiohttp.ClientSession(address_of(HOST, site.listener), headers=headers) as session,
        session.ws_connect(STREAM, max_msg_size=0) as viewer,
    ):
        await viewer.receive()
        await transact(site.store, CHAT, step(says(words)))

        event, *_ = (await viewer.receive()).json()
        assert event["message"]["content"] == [{"type": "text", "text": words}]


async def test_the_end_of_an_answer_that_is_not_read_does_not_keep_a_closed_connection(site: Site) -> None:
    """Less than makes a sender wait: so nobody waits, and the transport would until it is read."""
    await transact(site.store, CHAT, step(says("word " * (UNSENT_BYTES_MAX // 10))))
    site.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with socket.socket() as caller:
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        caller.connect(site.listener.getsockname())
        head = f"GET /api/v1/chats/{CHAT}/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        caller.sendall(f"{head}Authorization: Bearer {site.token}\r\n\r\n".encode())

        await until(lambda: was_reset(caller))
