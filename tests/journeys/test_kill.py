"""`kill -9` of the server at random instants during a hundred turns with tools, until all are done."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.client.events import StatusChanged, TurnFailed
from tests.journeys.server import Server, served, transcript

CHATS, TURNS_EACH = 10, 10
# Events of the chat list to hear before the next kill.
EVENTS_BETWEEN_KILLS = (1, 12)
KILLS_MAX = 25


def script(name: str) -> str:
    """Tools of all three effects, one that rests, and an answer that names its turn."""
    return (
        f'call @{name}-read echo {{"text": "{name}"}}\n'
        f'call @{name}-rest rest {{"seconds": 0.04}}\n'
        f'call @{name}-again remember {{"text": "{name}", "seconds": 0.02}}\n'
        f'call @{name}-once launch {{"text": "{name}", "seconds": 0.02}}\n'
        f"next\nsay answer to {name}"
    )


class Users:
    """Ten people who each say ten things, one after the other, and repeat by key what was not answered."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.chats: dict[int, str] = {}
        self.accepted: list[tuple[int, str]] = []

    async def talk(self, person: int) -> None:
        for turn in range(TURNS_EACH):
            await self._say(person, f"p{person}t{turn}")
            await self._hear_out(person)

    async def _hear_out(self, person: int) -> None:
        """Follow the chat until the agent rests, however often the server goes away."""
        while True:
            try:
                async with self.server.client() as client:
                    await _rested(client, self.chats[person])
            except (Unreachable, ApiError):
                await self.server.up.wait()
            else:
                return

    async def _say(self, person: int, name: str) -> None:
        while True:
            try:
                async with self.server.client() as client:
                    if person in self.chats:
                        await client.send(self.chats[person], script(name), key=name)
                    else:
                        self.chats[person] = (await client.create_chat(script(name), key=name)).id
            except (Unreachable, ApiError):
                # Perhaps it was taken, perhaps not.
                await self.server.up.wait()
            else:
                self.accepted.append((person, name))
                return


async def killing(server: Server, done: asyncio.Event) -> None:
    """Kill and start again, each time after a number of things have happened."""
    chance = random.Random(11)
    for _ in range(KILLS_MAX):
        async with asyncio.TaskGroup() as group:
            hearing = group.create_task(_hear(server, chance.randint(*EVENTS_BETWEEN_KILLS)))
            ending = group.create_task(done.wait())
            await asyncio.wait([hearing, ending], return_when=asyncio.FIRST_COMPLETED)
            hearing.cancel()
            ending.cancel()
        if done.is_set():
            return
        await server.kill()
        await server.start()
        server.kills += 1


async def _hear(server: Server, count: int) -> None:
    async with server.client() as client:
        async for _ in client.watch():
            count -= 1
            if count <= 0:
                return


@pytest.mark.timeout(300)
async def test_every_turn_ends_and_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        users, done = Users(server), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(killing(server, done))
            async with asyncio.TaskGroup() as people:
                for person in range(CHATS):
                    people.create_task(users.talk(person))
            done.set()
        async with server.client() as client:
            for chat_id in users.chats.values():
                await _rested(client, chat_id)
            await _check(client, server, users)
        assert server.kills >= 10


async def _rested(client: AsyncClient, chat_id: str) -> None:
    """A chat that waits has an empty queue: everything that was said to it is answered."""
    async for event in client.stream(chat_id):
        if isinstance(event, StatusChanged) and event.status == "waiting":
            return
        assert not isinstance(event, TurnFailed), event
    raise AssertionError("the stream ended")


async def _check(client: AsyncClient, server: Server, users: Users) -> None:
    said = {person: await transcript(client, chat_id) for person, chat_id in users.chats.items()}
    for person, name in users.accepted:
        assert said[person].count(f"user: {script(name)}") == 1, f"{name} was accepted"
        assert said[person].count(f"assistant: answer to {name}") == 1, f"{name} was accepted"
    assert len((await client.chats()).chats) == CHATS
    twice = [line for line, count in Counter(server.ran("launch")).items() if count > 1]
    assert twice == []
    for lines in said.values():
        results = [line for line in lines if line.startswith("tool: ")]
        repeatable = ("-read failed", "-rest failed", "-again failed")
        assert not [line for line in results if any(words in line for words in repeatable)]
