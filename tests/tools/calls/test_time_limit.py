"""How long a tool may take, and that its rests are not counted."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from typing import Any

import pytest

from chatd.tools.calls.time_limit import REST_SECONDS_MAX, TimeLimit
from chatd.tools.tool import ToolError
from tests.support.virtual import run_virtually

Body = Callable[[TimeLimit], Coroutine[Any, Any, None]]


async def rest(limit: TimeLimit, seconds: float) -> None:
    async with limit.paused(nullcontext):
        await asyncio.sleep(seconds)


def within(seconds: float, body: Body) -> None:
    async def main() -> None:
        async with TimeLimit("do", seconds) as limit:
            await body(limit)

    run_virtually(main())


def test_time_spent_resting_is_not_counted() -> None:
    async def body(limit: TimeLimit) -> None:
        await asyncio.sleep(4)
        await rest(limit, 1000)
        await asyncio.sleep(4)

    within(10, body)


def test_time_before_and_after_a_rest_adds_up() -> None:
    async def body(limit: TimeLimit) -> None:
        await asyncio.sleep(6)
        await rest(limit, 1000)
        await asyncio.sleep(6)

    with pytest.raises(ToolError, match="do took longer than 10 seconds and was stopped"):
        within(10, body)


def test_two_rests_at_the_same_time_are_one_until_the_last_has_ended() -> None:
    async def body(limit: TimeLimit) -> None:
        await asyncio.sleep(6)
        await asyncio.gather(rest(limit, 100), rest(limit, 1000))
        await asyncio.sleep(3)

    within(10, body)


def test_a_rest_has_a_limit_of_its_own() -> None:
    async def body(limit: TimeLimit) -> None:
        await rest(limit, REST_SECONDS_MAX + 1)

    with pytest.raises(ToolError, match="do rested longer than 86400 seconds and was stopped"):
        within(10, body)


def test_a_time_out_of_the_tools_own_goes_its_way() -> None:
    async def body(limit: TimeLimit) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await rest(limit, 100)
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        within(10, body)
