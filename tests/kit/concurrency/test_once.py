import asyncio
import threading

import pytest

from chatd.kit.concurrency.once import Once


async def test_many_wait_for_one_piece_of_work() -> None:
    begun: list[int] = []
    go_on = threading.Event()

    def work() -> str:
        begun.append(threading.get_ident())
        go_on.wait(30)
        return "done"

    once = Once(work)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(once.value()) for _ in range(100)]
        await asyncio.sleep(0)
        # The loop is free, although the work is not done.
        assert not any(task.done() for task in waiting)
        go_on.set()

    assert {task.result() for task in waiting} == {"done"}
    assert await once.value() == "done"
    assert len(begun) == 1
    assert begun[0] != threading.get_ident()


async def test_a_failure_is_told_to_all_and_the_next_try_is_a_new_one() -> None:
    results: list[Exception | str] = [LookupError("nothing"), "found"]

    def work() -> str:
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    once = Once(work)
    told = await asyncio.gather(once.value(), once.value(), return_exceptions=True)

    assert [type(each) for each in told] == [LookupError, LookupError]
    assert await once.value() == "found"


async def test_work_goes_on_for_others_when_one_who_waits_is_cancelled() -> None:
    go_on = threading.Event()
    times = 0

    def work() -> int:
        nonlocal times
        times += 1
        go_on.wait(30)
        return times

    once = Once(work)
    waiting = asyncio.ensure_future(once.value())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()

    assert await once.value() == 1


async def test_only_the_value_that_is_meant_is_forgotten() -> None:
    values = iter([object(), object(), object()])
    once = Once(lambda: next(values))

    first = await once.value()
    once.forget(first)
    second = await once.value()
    once.forget(first)

    assert second is not first
    assert await once.value() is second
