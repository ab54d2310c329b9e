"""The process tools in a chat with a real workspace, for tests."""

import asyncio
from typing import Any

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.kit.clock import Clock, SystemClock
from chatd.tools.calls.call import run_call
from chatd.tools.processes import process_tools
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.files import Files
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import Level, Protection
from tests.workspaces.local.world import CHAT, PATIENCE_SECONDS, World


class OnlyProcesses:
    """A workspace of which no file is used."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes
        self.protection = Protection(level=Level.NONE, network=True)

    @property
    def checkpoints(self) -> None:
        return None

    @property
    def files(self) -> Files:
        raise AssertionError("a process tool used files")


class Desk:
    def __init__(self, world: World, clock: Clock | None = None, processes: Processes | None = None) -> None:
        self.world = world
        self.shown = ""
        self._shown_more = asyncio.Event()
        self._clock = clock or SystemClock()
        self._workspace = OnlyProcesses(processes or world.processes)

    def show(self, text: str) -> None:
        self.shown += text
        self._shown_more.set()

    async def sees(self, text: str) -> None:
        """When viewers have been shown this."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while text not in self.shown:
                await self._shown_more.wait()
                self._shown_more.clear()

    async def call(self, tool: str, *, chat_id: ChatId = CHAT, **args: Json) -> CallResult:
        setting = Setting(chat_id=chat_id, call_id=CallId("call"), show=self.show, workspace=self._workspace)
        ran = await run_call(Toolbox(process_tools(self._clock)), tool, args, setting)
        return ran.result

    async def told(self, tool: str, *, chat_id: ChatId = CHAT, **args: Json) -> dict[str, Any]:
        """What a call that is no error says."""
        result = await self.call(tool, chat_id=chat_id, **args)
        assert not result.is_error, result.result
        assert isinstance(result.result, dict)
        return result.result

    async def error(self, tool: str, **args: Json) -> str:
        result = await self.call(tool, **args)
        assert result.is_error, result.result
        words = result.result["error"]
        assert isinstance(words, str)
        return words
