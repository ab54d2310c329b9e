import asyncio
from pathlib import Path

import pytest

from chatd.catalog.mcp.server import CONNECT_SECONDS
from chatd.domain.ids import UserId
from chatd.mcp.connections import connections as module
from chatd.mcp.connections.connections import IDLE_SECONDS, RETRY_SECONDS, SWEEP_SECONDS
from chatd.tools.toolbox import Toolbox
from tests.clock import MovedClock
from tests.mcp.running import (
    CHILDREN_PER_SERVER,
    HOSTILE,
    USER,
    Children,
    Way,
    a_bench,
    program,
    running,
    until,
)
from tests.traceability import proves

GOOD = ("-I", HOSTILE, "good")
BOUNDS = {"CONNECTIONS_OF_A_USER_MAX", "PROGRAMS_MAX", "CONNECTIONS_MAX"}


async def test_a_connection_is_kept_between_turns_and_calls() -> None:
    children = Children()
    async with a_bench(program(*GOOD)) as bench:
        for _ in range(3):
            await bench.call("sample__do")

        assert len(bench.connections) == 1
        assert len(children()) == CHILDREN_PER_SERVER


async def test_users_do_not_share_a_connection() -> None:
    async with a_bench(program(*GOOD)) as bench:
        await bench.offered(UserId("one"))
        await bench.offered(UserId("two"))

        assert len(bench.connections) == 2


async def test_callers_at_the_same_time_share_one_attempt() -> None:
    children = Children()
    async with a_bench(program(*GOOD)) as bench:
        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(bench.offered())

        assert len(children()) == CHILDREN_PER_SERVER


async def test_a_changed_configuration_is_connected_to_anew() -> None:
    async with a_bench(program(*GOOD)) as bench:
        await bench.offered()
        children = Children()
        bench.change(env={"CHANGED": "yes"})
        await bench.offered()

        assert len(bench.connections) == 1
        await until(lambda: len(children()) == CHILDREN_PER_SERVER)


async def test_a_connection_that_is_not_used_is_closed_after_a_while(clock: MovedClock) -> None:
    children = Children()
    async with a_bench(program(*GOOD), clock=clock) as bench:
        await bench.offered()
        assert len(bench.connections) == 1
        await clock.advance(IDLE_SECONDS + SWEEP_SECONDS)

        assert len(bench.connections) == 0
        await until(lambda: not children())
        assert (await bench.call("sample__do")).result == {"output": "done"}


async def test_a_connection_that_broke_is_made_anew_for_the_next_call() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        toolbox = Toolbox([each.tool for each in await bench.offered()])
        broken = await bench.call_in(toolbox, "sample__quits")
        done = await bench.call_in(toolbox, "sample__add", a=1, b=1)

    assert broken.is_error
    assert done.result == {"total": 2}


async def test_a_server_that_failed_is_left_alone_for_a_while_unless_it_is_changed(
    clock: MovedClock, tmp_path: Path
) -> None:
    tries = tmp_path / "tries"
    script = f"open({str(tries)!r}, 'a').write('x'); raise SystemExit(1)"
    async with a_bench(program("-c", script), clock=clock) as bench:
        for _ in range(3):
            assert await bench.offered() == ()
        assert tries.read_text() == "x"

        await clock.advance(RETRY_SECONDS[0])
        assert await bench.offered() == ()
        assert tries.read_text() == "xx"

        bench.change(env={"CHANGED": "yes"})
        assert await bench.offered() == ()
        assert tries.read_text() == "xxx"


@proves("mcp-skills-hooks", 24)
async def test_one_server_that_hangs_does_not_keep_the_tools_of_the_others() -> None:
    hanging = program("-I", HOSTILE, "silent", id="m-1", slug="hangs", connect_seconds=0.5)
    others = [program(*GOOD, id=f"m-{name}", slug=name) for name in ("one", "two")]
    async with a_bench(hanging, *others) as bench:
        assert await bench.names() == ["one__do", "two__do"]
    assert CONNECT_SECONDS == 10.0


@proves("mcp-skills-hooks", 27)
async def test_the_order_of_tools_is_the_same_each_time() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        first = await bench.names()
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        second = await bench.names()

    assert first == second == sorted(first)


async def test_a_list_that_the_server_says_has_changed_is_read_again() -> None:
    async with a_bench(program("-I", HOSTILE, "changes")) as bench:
        assert await bench.names() == ["sample__do"]
        await bench.call("sample__do")

        assert await bench.names() == ["sample__new"]


async def test_lines_before_the_first_message_do_no_harm() -> None:
    async with a_bench(program("-I", HOSTILE, "banner")) as bench:
        assert await bench.names() == ["sample__do"]


@pytest.mark.parametrize("bounds", [*({bound} for bound in sorted(BOUNDS)), BOUNDS])
async def test_the_one_that_was_not_used_for_longest_makes_room(
    clock: MovedClock, monkeypatch: pytest.MonkeyPatch, bounds: set[str]
) -> None:
    for bound in bounds:
        monkeypatch.setattr(module, bound, 2)
    servers = [program(*GOOD, id=f"m-{number}", slug=f"s{number}") for number in range(3)]
    async with a_bench(clock=clock) as bench:
        for server in servers:
            bench.servers = [server]
            await bench.offered()
            await clock.advance(1)

        states = [bench.connections.state_of(USER, server).connected for server in servers]

    assert states == [False, True, True]


async def test_a_caller_that_is_cancelled_stops_the_call_and_leaves_the_connection() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        toolbox = Toolbox([each.tool for each in await bench.offered()])
        connection = await bench.connections.to(USER, server)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(bench.call_in(toolbox, "sample__hangs"))
            await until(lambda: connection.calls == 1)
            task.cancel()

        assert connection.calls == 0
        assert (await bench.call_in(toolbox, "sample__add", a=1, b=1)).result == {"total": 2}


async def test_programs_end_with_the_connections_even_in_the_middle_of_a_call() -> None:
    children = Children()
    async with running(Way.STDIO) as server, asyncio.TaskGroup() as group:
        async with a_bench(server) as bench:
            toolbox = Toolbox([each.tool for each in await bench.offered()])
            connection = await bench.connections.to(USER, server)
            task = group.create_task(bench.call_in(toolbox, "sample__hangs"))
            await until(lambda: connection.calls == 1)
        done = await task

    assert done.is_error
    assert not children()
