"""The language of journeys at a terminal."""

from chatd.client import AsyncClient
from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey
from tests.cli.caller import Typing
from tests.support.served import Served

# Roomy, so that nothing scrolls away.
ROWS = 50
WIDTHS = (40, 80, 120)


async def a_chat(server: Served, words: str = "hello") -> str:
    async with AsyncClient(server.address, server.token) as client:
        return (await client.create_chat(words)).id


async def said_in(server: Served, chat_id: str) -> list[str]:
    async with AsyncClient(server.address, server.token) as client:
        return [message.text async for message in client.history(chat_id)]


async def speaking(server: Served, chat_id: str) -> Episode:
    done = await server.happens(chat_id, BeginAttempt())
    return server.live.board.open(
        EpisodeKey(ChatId(chat_id), done.chat.versions.history, done.chat.versions.attempt)
    )


async def leaves(person: Typing) -> None:
    person.keep_picture("before-leaving")
    person.type("/quit\r")
    assert await person.leaves() == 0


async def answers(person: Typing, key: str) -> None:
    """The key counts when the question has been seen for a moment."""
    await person.matches("One key answers. .*")
    person.keep_picture("asked")
    person.type(key)
