"""The tasks in which tools run. A tool that is stopped has some seconds to clean up.

One that ignores its cancellation is left behind: its call is over, neither the chat nor the other calls wait
for it, and it finds closed what its call was given (`gate.py`). Its task stays a child of the worker's, which
waits for it in the end. How many can be left behind has a bound, beyond which such tools are not run.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog
from msgspec import Struct

from chatd.domain.part import Json
from chatd.tools.tool import Setting, ToolError

# From its cancellation on. Less than a duty has that is cancelled, and than a worker that stops.
CLEAN_UP_SECONDS_MAX = 5.0
# Of one process, and of one tool.
LEFT_BEHIND_MAX = 16
LEFT_BEHIND_PER_TOOL_MAX = 4

log = structlog.get_logger()

Start: TypeAlias = Callable[[], Awaitable[Json]]
# Runs the tool of this name for a call, and calls the last argument if it is left behind.
RunTool: TypeAlias = Callable[[str, Setting, Start, Callable[[], None]], Awaitable[Json]]


async def in_place(_: str, __: Setting, start: Start, ___: Callable[[], None]) -> Json:
    """In the task of the caller, who waits as long as it takes."""
    return await start()


class _Returned(Struct, frozen=True):
    value: Json


class ToolTasks:
    """The tools that this process runs."""

    def __init__(self, parent: asyncio.TaskGroup) -> None:
        self._parent = parent
        self._left_behind: Counter[str] = Counter()

    async def run(self, tool: str, setting: Setting, start: Start, ignored: Callable[[], None]) -> Json:
        """What the tool returns or raises.

        A value that it returns while it cleans up counts, although we are cancelled: it was produced. Raises
        ToolError when too many calls of this tool have not ended.
        """
        self._check_room(tool)
        task = self._parent.create_task(_outcome(start), name=f"tool {tool}")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if not await _ends(task):
                ignored()
                self._leave_behind(tool, setting, task)
                raise
            if not isinstance(task.result(), _Returned):
                raise
        outcome = task.result()
        if isinstance(outcome, _Returned):
            return outcome.value
        raise outcome

    def _check_room(self, tool: str) -> None:
        left = self._left_behind[tool]
        if left >= LEFT_BEHIND_PER_TOOL_MAX or (left and self._left_behind.total() >= LEFT_BEHIND_MAX):
            raise ToolError(
                f"{tool} was not run: {left} earlier calls of it were stopped and have not ended. "
                "Do without it, and tell the user that the server's administrator should look at it."
            )

    def _leave_behind(
        self, tool: str, setting: Setting, task: "asyncio.Task[_Returned | BaseException]"
    ) -> None:
        facts = {"tool": tool, "chat_id": setting.chat_id, "call_id": setting.call_id}
        self._left_behind[tool] += 1
        log.warning("tool.left_behind", **facts, left_behind=self._left_behind.total())

        def ended(_: object) -> None:
            self._left_behind[tool] -= 1
            log.warning("tool.ended_late", **facts)

        task.add_done_callback(ended)


async def _outcome(start: Start) -> _Returned | BaseException:
    """Never raises: the group would end all other tasks with this one."""
    try:
        return _Returned(await start())
    except (Exception, asyncio.CancelledError, SystemExit) as error:  # noqa: BLE001 - raised by `run`
        return error


async def _ends(task: "asyncio.Task[_Returned | BaseException]") -> bool:
    """Cancel the task; whether it ends in time. Being cancelled once more does not make it shorter."""
    now = asyncio.get_running_loop().time
    ends_at = now() + CLEAN_UP_SECONDS_MAX
    task.cancel()
    while not task.done() and (left := ends_at - now()) > 0:
        try:
            await asyncio.wait([task], timeout=left)
        except asyncio.CancelledError:
            # The caller is about to be cancelled anyway.
            continue
    return task.done()
