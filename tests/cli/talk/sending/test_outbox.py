"""What was typed while the server is away: nothing is lost, nothing is sent twice, and the order is kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chatd.cli.talk.sending.outbox import KEPT_MAX, Outbox
from chatd.client import ApiError, Unreachable
from chatd.errors import Unusable

AWAY = Unreachable("Connection refused.")
BUSY = ApiError("unavailable", "The database is away.", status=503)
REFUSED = ApiError("archived", "This chat is in the archive.", status=400)


class HurriedClock:
    def now_micros(self) -> int:
        return 0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class World:
    """A server that fails as it is told, and a screen."""

    def __init__(self, tries_max: int = 5) -> None:
        self.failures: list[Exception] = []
        # Whether a request that fails has its effect all the same.
        self.loses_answers = False
        self.got: list[str] = []
        self.told: list[str] = []
        self.times_back = 0
        self.outbox = Outbox(
            tell=self.told.append,
            away=lambda error: self.told.append(f"The server is away: {error}"),
            back=self._come_back,
            tries_max=tries_max,
            clock=HurriedClock(),
        )

    def _come_back(self) -> None:
        self.times_back += 1

    async def type(self, words: str) -> None:
        await self.outbox.send(Typed(self, words))


class Typed:
    def __init__(self, world: World, words: str) -> None:
        self.words = words
        self._world = world

    async def send(self) -> None:
        failure = self._world.failures.pop(0) if self._world.failures else None
        arrives = failure is None or self._world.loses_answers
        if arrives and self.words not in self._world.got:
            self._world.got.append(self.words)
        if failure is not None:
            raise failure


@asynccontextmanager
async def running(world: World) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(world.outbox.run())
        yield
        async with asyncio.timeout(30):
            await world.outbox.wait_until_empty()
        task.cancel()


@pytest.mark.parametrize("failure", [AWAY, BUSY])
async def test_what_could_not_be_sent_is_sent_in_order_when_the_server_is_back(failure: Exception) -> None:
    world = World()
    world.failures = [failure] * 3
    async with running(world):
        await world.type("one")
        await world.type("two")
        assert world.told[0] == f"The server is away: {failure}"

    assert (world.got, world.times_back) == (["one", "two"], 2)


async def test_what_had_arrived_is_not_sent_again() -> None:
    world = World()
    world.failures, world.loses_answers = [AWAY], True
    async with running(world):
        await world.type("one")

    assert world.got == ["one"]


async def test_what_is_refused_is_told_with_its_words_and_the_next_goes_on() -> None:
    world = World()
    world.failures = [AWAY, REFUSED]
    async with running(world):
        await world.type("one")
        await world.type("two")

    assert world.got == ["two"]
    assert world.told[-1] == "This chat is in the archive. Not sent: one"


async def test_what_is_refused_at_once_is_not_kept() -> None:
    world = World()
    world.failures = [REFUSED]

    with pytest.raises(ApiError):
        await world.type("one")
    assert world.outbox.is_empty


async def test_what_is_given_up_is_handed_back_and_not_sent() -> None:
    world = World()
    world.failures = [AWAY]
    await world.type("one")
    await world.type("two")

    assert world.outbox.give_up() == ("one", "two")
    async with running(world):
        await world.type("three")
    assert world.got == ["three"]


async def test_a_server_that_stays_away_is_not_waited_for_without_end() -> None:
    world = World(tries_max=4)
    world.failures = [AWAY] * 9
    await world.type("one")

    with pytest.raises(Unreachable):
        await world.outbox.run()
    assert len(world.failures) == 9 - 4
    assert world.outbox.give_up() == ("one",)


async def test_no_more_is_kept_than_there_is_room_for() -> None:
    world = World()
    world.failures = [AWAY]
    for number in range(KEPT_MAX):
        await world.type(str(number))

    with pytest.raises(Unusable):
        await world.type("one more")
