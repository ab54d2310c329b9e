import asyncio

import pytest

from chatd.kit.tasks import to_the_end


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
