"""Stopping has an end, whatever hangs, and a second signal does not wait for it."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from tests.cli.program import Running, serving
from tests.storage.postgres.proxy import Mood, Proxy, proxied

# Three times what a stop may take.
PATIENCE_SECONDS = 60


@asynccontextmanager
async def busy_server(home: Path, url: str) -> AsyncIterator[tuple[Running, Proxy]]:
    """A server on PostgreSQL, with a chat that speaks and one that waits."""
    async with proxied(url) as proxy, serving(home, "--database-url", proxy.url) as server:
        await server.start_chat("wait 600\nsay Hello.")
        await server.start_chat("stream 100000 words\nsay Hello.")
        yield server, proxy


async def logged(server: Running, event: str) -> None:
    """Until the server's log has a line of this name."""
    assert server.process.stderr is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        while f'"event":"{event}"' not in await asyncio.to_thread(server.process.stderr.readline):
            pass


async def asked_in_vain(server: Running) -> None:
    """A request that the database keeps waiting."""
    body = {"content": [{"type": "text", "text": "hello"}]}
    with suppress(aiohttp.ClientError):
        await server.ask("POST", "/api/v1/chats", json=body)


async def test_a_stop_has_an_end_although_the_database_hangs(tmp_path: Path, postgres_url: str) -> None:
    async with busy_server(tmp_path, postgres_url) as (server, proxy), asyncio.TaskGroup() as group:
        proxy.mood = Mood.SILENT
        group.create_task(asked_in_vain(server))

        async with asyncio.timeout(PATIENCE_SECONDS):
            code, _, errors = await server.end(signal.SIGTERM)

    events = [json.loads(line)["event"] for line in errors.splitlines() if line.startswith("{")]
    assert "worker.not_stopped" in events
    assert (code, events[-1]) == (0, "server.stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_ends_a_server_at_once(
    tmp_path: Path, postgres_url: str, number: signal.Signals
) -> None:
    async with busy_server(tmp_path, postgres_url) as (server, proxy):
        proxy.mood = Mood.SILENT
        server.process.send_signal(signal.SIGTERM)
        await logged(server, "server.stopping")

        code, _, errors = await server.end(number)

    assert code == 128 + number
    assert json.loads(errors.splitlines()[-1])["event"] == "server.stop_cut_short"
