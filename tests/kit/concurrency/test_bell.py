"""A bell wakes the one who waits."""

import asyncio

from chatd.kit.concurrency.bell import Bell


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
