import asyncio
from contextlib import suppress

import pytest

from chatd.kit.concurrency.tasks import ends_when_cancelled, to_the_end
from tests.support.virtual import run_virtually


async def test_work_is_finished_although_we_are_cancelled_meanwhile() -> None:
    done: list[str] = []
    may_end = asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        done.append("written")

    async with asyncio.TaskGroup() as group:
        task = group.create_task(to_the_end(work()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        may_end.set()

    assert done == ["written"]
    assert task.cancelled()


async def test_an_error_of_the_work_keeps_its_name() -> None:
    async def work() -> None:
        raise LookupError("not there")

    with pytest.raises(LookupError, match="not there"):
        await to_the_end(work())


async def test_what_the_work_comes_to_is_returned() -> None:
    async def work() -> int:
        return 7

    assert await to_the_end(work()) == 7


def test_a_task_that_does_not_heed_its_cancellation_is_not_waited_for_any_longer() -> None:
    async def story() -> None:
        released = asyncio.Event()

        async def heeds() -> None:
            await released.wait()

        async def ignores() -> None:
            while not released.is_set():
                with suppress(asyncio.CancelledError):
                    await released.wait()

        async with asyncio.TaskGroup() as group:
            good, bad = group.create_task(heeds()), group.create_task(ignores())
            await asyncio.sleep(0)

            assert await ends_when_cancelled(good, 5)
            assert not await ends_when_cancelled(bad, 5)
            assert asyncio.get_running_loop().time() == pytest.approx(5)
            released.set()

    run_virtually(story())
