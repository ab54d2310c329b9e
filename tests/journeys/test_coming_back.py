"""A program that comes back after the server was killed repeats what it asked, and learns what it missed."""

import asyncio
from pathlib import Path

from chatd.client.answers import TurnEnd
from chatd.client.asynchronous import AsyncClient
from tests.journeys.server import Server, is_idle, served, transcript, until

BUSY = "stream 2000 words at 200 per second"


async def killed(server: Server) -> None:
    await server.kill()
    await server.start()


async def test_the_same_key_twice_across_a_kill_makes_one_chat_and_one_message(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat = await client.create_chat(BUSY, key="order 1")
            queued = await client.send(chat.id, "say Second.", key="order 1, second")
            assert queued.queued
        await killed(server)

        async with server.client() as client:
            again = await client.create_chat(BUSY, key="order 1")
            still = await client.send(chat.id, "say Second.", key="order 1, second")
            assert again.id == chat.id
            assert still.queued_message == queued.queued_message
            # Two at once, of which one is too late.
            third = await asyncio.gather(
                *(client.send(chat.id, "say Third.", key="order 1, third") for _ in range(2))
            )
            assert third[0] == third[1]
            await client.interrupt(chat.id)
            await until(client, chat.id, is_idle)
        await killed(server)

        async with server.client() as client:
            heard = await client.send(chat.id, "say Second.", key="order 1, second")
            assert heard.message is not None
            assert (heard.queued, heard.message.text) == (False, "say Second.")
            assert [each.id for each in (await client.chats()).chats] == [chat.id]
            assert [each.id for each in (await client.chats(key="order 1")).chats] == [chat.id]
            users = [line for line in await transcript(client, chat.id) if line.startswith("user: ")]
            assert users == [f"user: {BUSY}", "user: say Second.", "user: say Third."]
            assert (await client.chat(chat.id)).status == "waiting"


async def ends(client: AsyncClient, chat_id: str) -> list[str | None]:
    """What each message says of the end of its turn."""
    return [_end(message.turn_end) async for message in client.history(chat_id)]


def _end(told: TurnEnd | None) -> str | None:
    if told is None:
        return None
    return f"error: {told.error.kind}" if told.error is not None else told.reason


async def test_a_poller_that_comes_late_learns_how_each_turn_ended(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat = await client.create_chat("say One.")
            await until(client, chat.id, is_idle)
            await client.send(chat.id, "fail auth")
            await until(client, chat.id, lambda c: c.status == "error")
        await killed(server)

        async with server.client() as client:
            stopped = await client.send(chat.id, BUSY)
            assert stopped.message is not None
            await client.interrupt(chat.id, message_id=stopped.message.id)
            await until(client, chat.id, is_idle)
            await client.send(chat.id, "stream 40 words at 100 per second")
        # In the middle of a turn, which then goes on.
        await killed(server)

        async with server.client() as client:
            await until(client, chat.id, is_idle)
            told = await ends(client, chat.id)

        assert told[:3] == [None, "complete", "error: auth"]
        assert [end for end in told if end] == ["complete", "error: auth", "interrupted", "complete"]
        assert told[-1] == "complete"
