"""A line for places, in which no one who takes many keeps the others waiting."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from chatd.kit.concurrency.line import Line


async def waiting(group: asyncio.TaskGroup, take: Callable[[], Awaitable[None]]) -> "asyncio.Task[None]":
    """A task that has come to the line."""

    async def wait() -> None:
        await take()

    task = group.create_task(wait())
    await asyncio.sleep(0)
    return task


@pytest.mark.parametrize(("count", "alone"), [(1, 1), (2, 1), (4, 3), (8, 7), (64, 56)])
def test_one_alone_leaves_some_for_others(count: int, alone: int) -> None:
    line: Line[str] = Line(count)

    taken = sum(line.take_at_once("a") for _ in range(count))

    assert taken == alone
    assert line.take_at_once("b") == (count > alone)


def test_there_are_never_more_than_there_are_places() -> None:
    line: Line[str] = Line(4)

    taken = [key for key in "abcdefgh" for _ in range(3) if line.take_at_once(key)]

    assert len(taken) == 4
    assert line.free == 0


async def test_the_one_who_holds_the_fewest_comes_first() -> None:
    line: Line[str] = Line(4)
    for key in "aaab":
        assert line.take_at_once(key)
    async with asyncio.TaskGroup() as group:
        many = [await waiting(group, lambda: line.wait("a")) for _ in range(20)]
        other = await waiting(group, lambda: line.wait("c"))
        line.give_back("a")
        await asyncio.sleep(0)

        assert other.done()
        assert not any(task.done() for task in many)
        for task in many:
            task.cancel()


async def test_one_who_gives_up_waiting_takes_no_place() -> None:
    line: Line[str] = Line(1)
    assert line.take_at_once("a")
    async with asyncio.TaskGroup() as group:
        gone = await waiting(group, lambda: line.wait("b"))
        next_one = await waiting(group, lambda: line.wait("c"))
        gone.cancel()
        await asyncio.sleep(0)
        line.give_back("a")
        await asyncio.sleep(0)

        assert next_one.done()
    line.give_back("c")
    assert line.idle


async def test_one_who_is_cancelled_when_it_is_its_turn_hands_the_place_on() -> None:
    line: Line[str] = Line(1)
    assert line.take_at_once("a")
    async with asyncio.TaskGroup() as group:
        gone = await waiting(group, lambda: line.wait("b"))
        next_one = await waiting(group, lambda: line.wait("c"))
        line.give_back("a")
        gone.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        assert next_one.done()
    line.give_back("c")
    assert line.idle
