"""The language of journeys at a terminal."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.client import AsyncClient
from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey
from chatd.storage.transactions.transact import Store
from tests.cli.caller import Typing, typing
from tests.support.served import Served, served

# Roomy, so that nothing scrolls away.
ROWS = 50
# Of a call that has ended well, with its seconds where the machine was slow.
DONE = r"  ✓ done( \(.* s\))?"
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


@asynccontextmanager
async def hearing(
    store: Store, home: Path, *, columns: int = 80, rows: int = ROWS
) -> AsyncIterator[tuple[Served, str, Typing]]:
    """A server, a chat in which somebody has said hello, and a person who looks at it."""
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(home, server, "chat", chat_id, columns=columns, rows=rows) as person:
            await person.shows("> hello")
            yield server, chat_id, person


async def leaves(person: Typing) -> None:
    person.keep_picture("before-leaving")
    person.type("/quit\r")
    assert await person.leaves() == 0


async def answers(person: Typing, key: str) -> None:
    """The key counts when the question has been seen for a moment."""
    await person.matches("One key answers. .*")
    person.keep_picture("asked")
    person.type(key)


async def counts_down(person: Typing, pattern: str) -> None:
    """Wait until the number in a line that looks so has become smaller, in place."""

    def number() -> int | None:
        found = [int(match[1]) for line in person.lines() if (match := re.fullmatch(pattern, line))]
        assert len(found) <= 1, found
        return found[0] if found else None

    await person.until(lambda: number() is not None, (pattern,))
    first = number() or 0
    await person.until(lambda: (number() or first) < first, (pattern,))
