"""Ten children of one chat, and `kill -9` of the server in the middle of it, again and again."""

import asyncio
import json
import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from tests.journeys.server import Server, is_idle, served, until

CHILDREN = 10
KILLS_AT_FIRST = 8
KILLS = 6
# Times that a child works before it reports; each is a call that may be run twice, and leaves a trace.
STEPS = 4


def task(number: int) -> str:
    steps = [
        f'call remember {{"text": "child {number} step {step}", "seconds": 0.05}}' for step in range(STEPS)
    ]
    return "\nnext\n".join([*steps, f"say Report of {number}."])


def delegating() -> str:
    """Three replies that start agents, one that waits for all of them, and a last word."""
    spawns = [
        f"call @spawn-{n} spawn_agent "
        + json.dumps({"type": "general", "title": f"child {n}", "prompt": task(n)})
        for n in range(CHILDREN)
    ]
    batches = ["\n".join(spawns[n : n + 4]) for n in range(0, CHILDREN, 4)]
    return "\nnext\n".join(
        [*batches, 'call @wait wait_agent {"timeout_seconds": 3600}', "say All reports are in."]
    )


async def killing(server: Server, done: asyncio.Event) -> None:
    """Kill and start again: first whenever another child was created, then in the middle of their work."""
    chance = random.Random(4)
    while (created := children_in(server)) < CHILDREN and server.kills < KILLS_AT_FIRST:
        while children_in(server) == created and not done.is_set():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0)
        await kill(server)
    for _ in range(KILLS):
        steps = len(server.ran("remember")) + chance.randint(0, 3)
        while len(server.ran("remember")) < steps and not done.is_set():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)
        if done.is_set():
            return
        await kill(server)


async def kill(server: Server) -> None:
    await server.kill()
    await server.start()
    server.kills += 1


def children_in(server: Server) -> int:
    """As soon as they are committed: between that and the result of the call the server is to die."""
    path = server.folder / "data" / "chatd.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        (count,) = db.execute("SELECT count(*) FROM chats WHERE parent_id IS NOT NULL").fetchone()
    return int(count)


async def finished(server: Server, chat_id: str) -> None:
    while True:
        try:
            async with server.client() as client:
                await until(client, chat_id, is_idle)
        except (Unreachable, ApiError, AssertionError):
            await server.up.wait()
        else:
            return


async def results(client: AsyncClient, chat_id: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    async for message in client.history(chat_id):
        for part in message.content:
            if part.type == "tool-result":
                found.setdefault(part.tool_call_id or "", []).append(part)
    return found


@pytest.mark.timeout(300)
async def test_every_result_of_ten_children_arrives_once_however_often_the_server_is_killed(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat_id = (await client.create_chat(delegating())).id
        done = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(killing(server, done))
            await finished(server, chat_id)
            done.set()
        async with server.client() as client:
            await _check(client, chat_id)
        assert server.kills >= 5


async def _check(client: AsyncClient, chat_id: str) -> None:
    children = (await client.children(chat_id)).chats
    assert Counter(child.title for child in children) == Counter(f"child {n}" for n in range(CHILDREN))
    assert {child.status for child in children} == {"waiting"}
    told = await results(client, chat_id)
    assert set(told) == {"wait", *(f"spawn-{n}" for n in range(CHILDREN))}
    assert all(len(each) == 1 and not each[0].is_error for each in told.values())
    by_id = {child.id: child.title for child in children}
    started = {told[f"spawn-{n}"][0].result["chat_id"] for n in range(CHILDREN)}
    assert started == set(by_id)
    reports = Counter((each["title"], each["report"]) for each in told["wait"][0].result["agents"])
    assert reports == Counter((f"child {n}", f"Report of {n}.") for n in range(CHILDREN))
    assert len((await client.chats()).chats) == 1
