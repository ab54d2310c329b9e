"""Servers are replaced one after the other under load: viewers behind a balancer miss no word."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import Event, MessageSaved, PartSpoken, StatusChanged
from tests.fleet.balancer import balanced
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import TOKEN, Fleet
from tests.journeys.server import PATIENCE_SECONDS, Server

CHATS = 8
SCRIPT = "\nnext\n".join(
    f'stream 50 words at 25 per second\nsay step {step}.\ncall @c{step} echo {{"text": "{step}"}}'
    for step in range(6)
)
SCRIPT += "\nnext\nsay Done."


class Reader:
    """Someone who reads along, and checks that what they are shown has no hole."""

    def __init__(self) -> None:
        # What each attempt has said, by history and attempt.
        self.said: dict[tuple[int, int], str] = {}
        self.messages: list[str] = []
        self.is_done = False

    def see(self, event: Event) -> None:
        match event:
            case PartSpoken(part=part, history_version=history, generation_attempt=attempt):
                key = history, attempt
                self.said[key] = self.said.get(key, "") + (part.text or "")
            case MessageSaved(message=message) if message.role == "assistant":
                self.messages.append(message.text)
            case StatusChanged(status=status):
                self.is_done = status == "waiting"
            case _:
                pass

    async def read(self, client: AsyncClient, chat_id: str, until: Callable[["Reader"], bool]) -> "Reader":
        async for event in client.stream(chat_id):
            self.see(event)
            if until(self):
                break
        return self


@pytest.mark.timeout(240)
async def test_viewers_go_on_elsewhere_without_a_lost_word_and_nobody_waits_for_a_lease(
    fleet_of: Fleets,
) -> None:
    async with fleet_of(2) as fleet, balanced(fleet.servers) as balancer:
        async with AsyncClient(balancer.address, TOKEN) as client, asyncio.timeout(3 * PATIENCE_SECONDS):
            taken = Counter[str]()
            chats = [await client.create_chat(SCRIPT) for _ in range(CHATS)]
            async with asyncio.TaskGroup() as group:
                readers = [
                    group.create_task(Reader().read(client, chat.id, until=lambda reader: reader.is_done))
                    for chat in chats
                ]
                for server in fleet.servers:
                    # They begin anew with the process.
                    taken += await takeovers(fleet, server)
                    assert await server.stop() == 0
                    await server.start()
            for reader in (task.result() for task in readers):
                assert [text.split()[-1] for text in reader.messages] == [
                    *(f"{step}." for step in range(6)),
                    "Done.",
                ]
                everything_was_said_from_its_beginning(reader)
            for chat in chats:
                assert (await client.chat(chat.id)).last_error is None
        for server in fleet.servers:
            taken += await takeovers(fleet, server)
        assert taken["forgotten"] > 0
        assert taken["quiet"] == 0


def everything_was_said_from_its_beginning(reader: Reader) -> None:
    """What was shown of each attempt is how one of the messages begins: no word is missing in between."""
    assert reader.said
    for said in reader.said.values():
        assert any(message.startswith(said) for message in reader.messages), said


async def takeovers(fleet: Fleet, server: Server) -> Counter[str]:
    """Chats taken from workers that were `forgotten`, as they ended in order, or `quiet` for too long."""
    async with fleet.client(server) as client:
        told = await client.metrics()
    found = re.findall(r'^chatd_takeovers_total\{worker="(\w+)"\} (\S+)$', told, re.MULTILINE)
    return Counter({worker: int(float(count)) for worker, count in found})
