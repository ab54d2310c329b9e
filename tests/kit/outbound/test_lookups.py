"""Names that others choose."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from chatd.kit.outbound.lookups import THREADS, Lookups
from chatd.kit.outbound.reach import HostNotFound, Reach


async def test_a_name_is_looked_up_as_the_system_does() -> None:
    assert "127.0.0.1" in await Lookups()("localhost", 80)
    with pytest.raises(HostNotFound):
        await Reach(private_hosts=False, resolve=Lookups()).resolve("no-such-host.invalid", 80)


async def test_names_that_are_never_answered_hold_up_no_other_work_of_the_process() -> None:
    held = threading.Event()

    def look_up(host: str, port: int, **_: Any) -> list[tuple[Any, Any, Any, Any, tuple[Any, ...]]]:
        held.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))]

    lookups = Lookups(look_up)
    try:
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(lookups("192.0.2.1", 80)) for _ in range(THREADS * 10)]
            # In the threads of the event loop, and in those that look up for providers.
            assert await asyncio.to_thread(lambda: "done") == "done"
            assert await asyncio.get_running_loop().getaddrinfo("localhost", 80)
            assert not any(task.done() for task in waiting)
            held.set()
    finally:
        held.set()

    assert {tuple(task.result()) for task in waiting} == {("192.0.2.1",)}
