"""A bell wakes the one who waits."""

import asyncio
import time

import pytest

from chatd.kit.concurrency.bell import MANY_SECONDS, Bell
from tests.support.virtual import run_virtually


async def test_rings_before_the_first_wait_add_up_to_one_waking() -> None:
    bell = Bell()
    bell.ring()
    bell.ring()

    assert await bell.wait()
    waiting = asyncio.ensure_future(bell.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    bell.ring()
    bell.ring()
    assert await waiting


async def test_a_task_that_waits_is_told_the_end_and_so_is_every_later_one() -> None:
    bell = Bell()
    waiting = asyncio.ensure_future(bell.wait())
    await asyncio.sleep(0)

    bell.end()

    assert [await waiting, await bell.wait(), await bell.wait()] == [False, False, False]
    bell.ring()
    assert not await bell.wait()


async def test_a_ring_is_not_lost_when_the_one_who_waits_is_cancelled() -> None:
    bell = Bell()
    waiting = asyncio.ensure_future(bell.wait())
    await asyncio.sleep(0)
    bell.ring()
    waiting.cancel()
    await asyncio.wait([waiting])

    assert waiting.cancelled()
    assert await bell.wait()


def test_of_many_rings_the_first_wakes_at_once_and_the_others_together() -> None:
    async def story() -> None:
        bell, woken_at = Bell(), list[float]()
        time = asyncio.get_running_loop().time

        async def note_wakings() -> None:
            while await bell.wait():
                woken_at.append(time() - began)

        noting = asyncio.ensure_future(note_wakings())
        began = time()
        for _ in range(20):
            await asyncio.sleep(0)
            bell.ring_for_one_of_many()
        await asyncio.sleep(1)
        bell.ring_for_one_of_many()
        await asyncio.sleep(1)
        bell.end()
        await noting

        assert woken_at == pytest.approx([0, MANY_SECONDS, 1])

    run_virtually(story())


def test_something_else_that_rings_does_not_wait_for_the_next_of_many() -> None:
    async def story() -> None:
        bell = Bell()
        first = asyncio.ensure_future(bell.wait())
        await asyncio.sleep(0)
        bell.ring_for_one_of_many()
        assert await first
        second = asyncio.ensure_future(bell.wait())
        await asyncio.sleep(0)
        bell.ring_for_one_of_many()
        await asyncio.sleep(0)
        assert not second.done()

        bell.ring()
        await asyncio.sleep(0)

        assert second.done()

    run_virtually(story())


async def test_one_of_many_is_not_lost_when_the_task_that_waits_is_cancelled() -> None:
    bell = Bell()
    waiting = asyncio.ensure_future(bell.wait())
    await asyncio.sleep(0)
    bell.ring_for_one_of_many()
    assert await waiting
    waiting = asyncio.ensure_future(bell.wait())
    await asyncio.sleep(0)
    bell.ring_for_one_of_many()
    waiting.cancel()
    await asyncio.wait([waiting])

    assert await bell.wait()


async def test_it_is_known_since_when_the_task_had_something_to_look_for() -> None:
    bell = Bell()
    before = time.monotonic()
    bell.ring_for_one_of_many()
    between = time.monotonic()
    bell.ring()
    await bell.wait()
    assert before <= bell.heard_at <= between

    bell.ring()
    await bell.wait()
    assert bell.heard_at >= between
