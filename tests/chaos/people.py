"""The load: people who say things, and a viewer of each chat who goes on elsewhere when a server is gone."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

import msgspec

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.client.events import Event, Gap, MessageSaved, PartSpoken, PreviewReset, TurnFailed, UnknownEvent
from tests.chaos.ledger import Ledger, Violation
from tests.fleet.fleet import Fleet
from tests.simulation.people.picture import Held, Picture

T = TypeVar("T")

# A client that hears nothing for so long tries another server: its own may stand still.
SILENCE_SECONDS = 5.0
# Before it asks another one; servers that are gone refuse at once.
PAUSE_SECONDS = 0.1
# How often, of a hundred events, a viewer leaves for another server without a reason.
LEAVES = 2.0
# From the moment a message was accepted to its answer, whatever happens meanwhile. Generous: a lease is 10 s.
STUCK_SECONDS = 180
# Not now, but perhaps at another server, or in a while.
PASSING = frozenset({408, 429, 500, 502, 503, 504})


def script(name: str) -> str:
    """Tools of every effect, one that rests, and an answer that takes a while and names its message."""
    return (
        f'call @{name}-read echo {{"text": "{name}"}}\n'
        f'call @{name}-rest rest {{"seconds": 0.2}}\n'
        f'call @{name}-again remember {{"text": "{name}", "seconds": 0.2}}\n'
        f'call @{name}-once launch {{"text": "{name}", "seconds": 0.3}}\n'
        f"next\nstream 40 words at 40 per second\nsay answer to {name}."
    )


class Somewhere:
    """Whichever server answers. A client knows addresses, and finds out the rest."""

    def __init__(self, fleet: Fleet, chance: random.Random) -> None:
        self._fleet = fleet
        self.chance = chance

    @asynccontextmanager
    async def client(self) -> AsyncIterator[AsyncClient]:
        """One server, or none: what is not refused for good ends the block in silence."""
        server = self.chance.choice(self._fleet.servers)
        try:
            async with self._fleet.client(server, attempts_max=1) as client:
                yield client
        except (Unreachable, TimeoutError):
            await asyncio.sleep(PAUSE_SECONDS)
        except ApiError as error:
            if error.status not in PASSING:
                raise Violation(f"refused with {error.status} {error.code}: {error}") from error
            await asyncio.sleep(PAUSE_SECONDS)

    async def ask(self, request: Callable[[AsyncClient], Awaitable[T]]) -> T:
        """Again and again until it is answered: perhaps it was done before, perhaps not."""
        while True:
            async with self.client() as client, asyncio.timeout(SILENCE_SECONDS):
                return await request(client)


class Viewer:
    """Follows one chat from its beginning, by cursor."""

    def __init__(self, chat_id: str, somewhere: Somewhere, ledger: Ledger) -> None:
        self.chat_id = chat_id
        self.moves = 0
        self.held: list[Held] = []
        self.picture = Picture(self.held)
        self._somewhere = somewhere
        self._ledger = ledger
        self._news = asyncio.Event()
        self._has_gap = False

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            async with self._somewhere.client() as client:
                await self._watch(client)
            self.picture.lose_connection()
            self.moves += 1

    async def _watch(self, client: AsyncClient) -> None:
        async with aclosing(client.stream(self.chat_id, self.picture.cursor)) as events:
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    event = await anext(events)
                self._see(event)
                if self._somewhere.chance.uniform(0, 100) < LEAVES:
                    return

    def _see(self, event: Event) -> None:
        match event:
            case UnknownEvent() | TurnFailed():
                raise Violation(f"a viewer of {self.chat_id} was told {event}")
            case MessageSaved(message=message):
                self._ledger.tell(self.chat_id, message)
            case Gap(what="preview"):
                self.picture.end_preview()
                self._has_gap = True
            case PreviewReset():
                self._has_gap = False
            case _:
                pass
        if self._has_gap and isinstance(event, PartSpoken):
            # Behind a gap there is nothing to compare it with.
            self.picture.cursor = event.cursor
        else:
            self.picture.apply(msgspec.to_builtins(event))
        self._news.set()

    async def until_answered(self, name: str) -> None:
        """A chat that waits has an empty queue: all that was said to it is answered."""
        while not (self.picture.status == "waiting" and self._saw(name)):
            self._news.clear()
            await self._news.wait()

    def _saw(self, name: str) -> bool:
        told = self._ledger.saved.get(self.chat_id, {}).values()
        return any(line.role == "assistant" and is_answer(line.words, name) for line in told)


def is_answer(words: str, name: str) -> bool:
    return words.endswith(f"answer to {name}.")


class Person:
    """Says one or two things at a time, and the next when they are answered."""

    def __init__(self, number: int, somewhere: Somewhere, ledger: Ledger) -> None:
        self.number = number
        self.viewer: Viewer | None = None
        self._somewhere = somewhere
        self._ledger = ledger
        self._viewing: asyncio.Task[None] | None = None

    def leave(self) -> None:
        """Look at the chat no longer."""
        if self._viewing is not None:
            self._viewing.cancel()

    async def talk(self, over: asyncio.Event, viewers: asyncio.TaskGroup) -> None:
        turn = 0
        while not over.is_set():
            # The second one waits in the queue, as a rule.
            names = [f"p{self.number}t{turn + each}" for each in range(self._somewhere.chance.choice((1, 2)))]
            turn += len(names)
            for name in names:
                await self._say(name, viewers)
            await self._hear_out(names[-1])

    async def _say(self, name: str, viewers: asyncio.TaskGroup) -> None:
        viewer = self.viewer
        if viewer is None:
            chat = await self._somewhere.ask(lambda client: client.create_chat(script(name), key=name))
            self.viewer = Viewer(chat.id, self._somewhere, self._ledger)
            self._viewing = viewers.create_task(self.viewer.run(), name=f"viewer {self.number}")
            self._ledger.accept(chat.id, name)
        else:
            chat_id = viewer.chat_id
            await self._somewhere.ask(lambda client: client.send(chat_id, script(name), key=name))
            self._ledger.accept(chat_id, name)

    async def _hear_out(self, name: str) -> None:
        assert self.viewer is not None
        try:
            async with asyncio.timeout(STUCK_SECONDS):
                await self.viewer.until_answered(name)
        except TimeoutError:
            raise Violation(
                f"{name} was accepted by {self.viewer.chat_id} and not answered after {STUCK_SECONDS} s"
            ) from None
