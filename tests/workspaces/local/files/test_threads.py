import asyncio
import threading

import pytest

from chatd.workspaces.local.files.threads import AT_ONCE_MAX, Stop, Stopped, Threads


async def test_the_loop_goes_on_while_a_thread_works() -> None:
    threads = Threads()
    go_on = threading.Event()

    async with asyncio.TaskGroup() as group:
        work = group.create_task(threads.run(lambda _: go_on.wait()))
        await asyncio.sleep(0)
        go_on.set()

    assert work.result()
    threads.close()


async def test_a_cancelled_caller_stops_its_thread_and_waits_for_it() -> None:
    threads = Threads()
    began, ended = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work(stop: Stop) -> None:
        loop.call_soon_threadsafe(began.set)
        try:
            while True:
                stop.check()
        finally:
            ended.set()

    task = asyncio.create_task(threads.run(work))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert ended.is_set()
    threads.close()


async def test_work_that_has_not_begun_is_never_done_for_a_cancelled_caller() -> None:
    threads = Threads()
    go_on, done = threading.Event(), []

    busy = [asyncio.create_task(threads.run(lambda _: go_on.wait())) for _ in range(AT_ONCE_MAX)]
    await asyncio.sleep(0)
    late = asyncio.create_task(threads.run(lambda _: done.append(1)))
    await asyncio.sleep(0)
    late.cancel()
    with pytest.raises(asyncio.CancelledError):
        await late
    go_on.set()
    await asyncio.gather(*busy)

    assert done == []
    threads.close()


async def test_inline_work_is_done_at_once() -> None:
    assert await Threads(inline=True).run(lambda _: threading.current_thread()) is threading.main_thread()


def test_a_stop_is_told_when_it_is_asked_for() -> None:
    stop = Stop()
    stop.check()
    stop.set()

    with pytest.raises(Stopped):
        stop.check()
