"""A tool that is stopped: how long it has, what it may still bring, and what becomes of one that goes on."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from structlog.testing import capture_logs

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.arguments import typed
from chatd.tools.calls.call import Ran, run_call
from chatd.tools.calls.tool_tasks import (
    CLEAN_UP_SECONDS_MAX,
    LEFT_BEHIND_MAX,
    LEFT_BEHIND_PER_TOOL_MAX,
    ToolTasks,
)
from chatd.tools.tool import Question, Setting, Tool, ToolError
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace
from tests.support.virtual import run_virtually
from tests.workspaces.files_only import FilesOnly


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Shop:
    """Runs tools as a worker does, until `closing`: then what was left behind may end."""

    def __init__(self, parent: asyncio.TaskGroup) -> None:
        self.tasks = ToolTasks(parent)
        self.closing = asyncio.Event()
        self.shown: list[str] = []
        self.workspace: Workspace | None = None

    async def ignore(self, _: Nothing, __: Setting) -> Json:
        """Goes on when it is cancelled."""
        while not self.closing.is_set():
            with suppress(asyncio.CancelledError):
                await self.closing.wait()
        return "late"

    async def call(
        self,
        run: Callable[[Nothing, Setting], Awaitable[Json]],
        *,
        name: str = "do",
        seconds_max: float = 60.0,
    ) -> Ran:
        tool = Tool(
            name=name,
            description="",
            arguments=typed(Nothing),
            effect=Effect.READ,
            run=run,
            seconds_max=seconds_max,
        )
        setting = Setting(
            chat_id=ChatId("chat"), call_id=CallId("c"), show=self.shown.append, workspace=self.workspace
        )
        return await run_call(Toolbox([tool]), name, {}, setting, run=self.tasks.run)


def in_shop(story: Callable[[Shop, asyncio.TaskGroup], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with asyncio.TaskGroup() as parent:
            shop = Shop(parent)
            try:
                async with asyncio.TaskGroup() as callers:
                    await story(shop, callers)
            finally:
                shop.closing.set()

    run_virtually(main())


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_tool_that_is_stopped_may_clean_up() -> None:
    cleaned: list[float] = []

    async def careful(_: Nothing, __: Setting) -> Json:
        try:
            return await asyncio.Event().wait()
        finally:
            await asyncio.sleep(CLEAN_UP_SECONDS_MAX - 1)
            cleaned.append(now())

    async def story(shop: Shop, callers: asyncio.TaskGroup) -> None:
        task = callers.create_task(shop.call(careful))
        await asyncio.sleep(1)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

        assert cleaned == [CLEAN_UP_SECONDS_MAX]
        assert task.cancelled()

    in_shop(story)


def test_a_result_that_is_produced_while_it_is_stopped_counts() -> None:
    async def hurried(_: Nothing, __: Setting) -> Json:
        try:
            return await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "as far as I got"

    async def story(shop: Shop, callers: asyncio.TaskGroup) -> None:
        task = callers.create_task(shop.call(hurried))
        await asyncio.sleep(1)
        task.cancel()

        assert (await task).result == CallResult(result={"output": "as far as I got"})
        late = await shop.call(hurried, seconds_max=1)
        assert late.result == CallResult(result={"output": "as far as I got"})

    in_shop(story)


def test_one_that_ignores_it_is_left_behind_after_a_while_and_logged() -> None:
    async def story(shop: Shop, callers: asyncio.TaskGroup) -> None:
        task = callers.create_task(shop.call(shop.ignore))
        await asyncio.sleep(1)
        task.cancel()
        # Once more changes nothing.
        await asyncio.sleep(1)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

        assert task.cancelled()
        assert now() == 1 + CLEAN_UP_SECONDS_MAX

    with capture_logs() as logs:
        in_shop(story)
    assert [(entry["event"], entry["tool"], entry["chat_id"]) for entry in logs] == [
        ("tool.left_behind", "do", "chat"),
        ("tool.ended_late", "do", "chat"),
    ]


def test_one_whose_time_is_over_and_that_goes_on_is_said_to_be_still_at_work() -> None:
    async def story(shop: Shop, _: asyncio.TaskGroup) -> None:
        ran = await shop.call(shop.ignore, seconds_max=10)

        assert ran.result.is_error
        assert "took longer than 10 seconds and did not stop" in ran.result.result["error"]
        assert "it may still be at work" in ran.result.result["error"]
        assert now() == 10 + CLEAN_UP_SECONDS_MAX

    in_shop(story)


def test_what_was_left_behind_can_neither_show_nor_ask_nor_rest() -> None:
    refused: list[str] = []

    async def story(shop: Shop, _: asyncio.TaskGroup) -> None:
        async def sneaky(_: Nothing, setting: Setting) -> Json:
            setting.show("in time")
            await shop.ignore(_, setting)
            setting.show("too late")
            with pytest.raises(ToolError) as asking:
                await setting.ask_model(Question(text="?"))
            with pytest.raises(ToolError) as resting:
                async with setting.resting():
                    pytest.fail("it rests")
            refused.extend(str(error.value) for error in (asking, resting))
            return "late"

        await shop.call(sneaky, seconds_max=1)
        shop.closing.set()
        await asyncio.sleep(1)

        assert shop.shown == ["in time"]
        assert refused == ["This call is over."] * 2

    in_shop(story)


def test_nor_can_it_touch_the_workspace(tmp_path: Path) -> None:
    refused: list[str] = []

    async def story(shop: Shop, _: asyncio.TaskGroup) -> None:
        shop.workspace = FilesOnly(tmp_path)

        async def sneaky(_: Nothing, setting: Setting) -> Json:
            files = setting.place().files
            write = files.write
            await files.write("in-time", b"x")
            await shop.ignore(_, setting)
            for late in (
                lambda: files.write("late", b"x"),
                lambda: write("late", b"x"),
                lambda: setting.place().files.write("late", b"x"),
                lambda: setting.forbidden(Touches()),
            ):
                with pytest.raises(ToolError) as error:
                    await late()
                refused.append(str(error.value))
            return "late"

        await shop.call(sneaky, seconds_max=1)
        shop.closing.set()
        await asyncio.sleep(1)

    in_shop(story)
    assert refused == ["This call is over."] * 4
    assert [file.name for file in tmp_path.iterdir()] == ["in-time"]


def test_a_tool_of_which_several_were_left_behind_is_not_run_until_one_has_ended() -> None:
    async def story(shop: Shop, _: asyncio.TaskGroup) -> None:
        for _n in range(LEFT_BEHIND_PER_TOOL_MAX):
            await shop.call(shop.ignore, seconds_max=1)
        refused = await shop.call(shop.ignore, seconds_max=1)
        assert refused.result.is_error
        assert "do was not run: 4 earlier calls of it were stopped" in refused.result.result["error"]

        async def well(_: Nothing, __: Setting) -> Json:
            return "well"

        other = await shop.call(well, name="other")
        assert not other.result.is_error
        shop.closing.set()
        await asyncio.sleep(1)
        assert not (await shop.call(well)).result.is_error

    in_shop(story)


def test_how_many_are_left_behind_in_all_has_a_bound() -> None:
    async def story(shop: Shop, _: asyncio.TaskGroup) -> None:
        left = 0
        for number in range(LEFT_BEHIND_MAX + 2):
            name = f"tool {number // 2}"
            ran = await shop.call(shop.ignore, name=name, seconds_max=1)
            left += "was not run" not in ran.result.result["error"]

        # The last tool has left none behind, so it is run once.
        assert left == LEFT_BEHIND_MAX + 1

    in_shop(story)


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), asyncio.CancelledError()])
def test_what_a_tool_raises_harms_no_other_tool(error: BaseException) -> None:
    async def story(shop: Shop, callers: asyncio.TaskGroup) -> None:
        async def fail(_: Nothing, __: Setting) -> Json:
            raise error

        async def wait(_: Nothing, __: Setting) -> Json:
            await asyncio.sleep(5)
            return "well"

        beside = callers.create_task(shop.call(wait))
        await asyncio.sleep(0)
        assert (await shop.call(fail)).result.is_error
        assert not (await beside).result.is_error

    in_shop(story)
