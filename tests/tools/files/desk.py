"""The file tools in a chat with a real directory, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.arguments import fitting
from chatd.tools.calls.call import run_call
from chatd.tools.files import file_tools
from chatd.tools.tool import AnyTool, Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.files import Files, FindQuery, Found, Matches, SearchQuery
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import Level, Protection


class OnlyFiles:
    """A workspace in which no process is used."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.protection = Protection(level=Level.NONE, network=True)

    @property
    def checkpoints(self) -> None:
        return None

    @property
    def processes(self) -> Processes:
        raise AssertionError("a file tool used processes")


class OutOfTime(LocalFiles):
    """Has not looked at everything when the time is over."""

    async def find(self, query: FindQuery) -> Found:
        return replace(await super().find(query), truncated=True, timed_out=True)

    async def search(self, query: SearchQuery) -> Matches:
        return replace(await super().search(query), truncated=True, timed_out=True)


class FileDesk:
    def __init__(self, files: Files, root: Path) -> None:
        self.root = root
        # A neighbour of the workspace, which is none of its business.
        self.outside = root.parent / "outside"
        # What the chat's model can be shown.
        self.sees: frozenset[str] = frozenset()
        # What the rules do not allow.
        self.forbidden: frozenset[str] = frozenset()
        self.workspace: OnlyFiles | None = OnlyFiles(files)
        self._toolbox = Toolbox(file_tools())

    async def call(self, tool: str, *, context_limit: int = 0, **args: Json) -> CallResult:
        return await self.call_with(tool, args, context_limit=context_limit)

    async def call_with(self, tool: str, args: Json, *, context_limit: int = 0) -> CallResult:
        """With arguments that are an object, or the text that a model wrote."""
        setting = Setting(
            chat_id=ChatId("chat"),
            call_id=CallId("call"),
            show=lambda _: None,
            workspace=self.workspace,
            sees=self.sees,
            forbidden=self._forbidden_of,
        )
        return (await run_call(self._toolbox, tool, args, setting, context_limit=context_limit)).result

    async def told(self, tool: str, **args: Json) -> dict[str, Any]:
        """What a call that is no error says."""
        result = await self.call(tool, **args)
        assert not result.is_error, result.result
        assert isinstance(result.result, dict)
        return result.result

    async def error(self, tool: str, **args: Json) -> str:
        result = await self.call(tool, **args)
        assert result.is_error, result.result
        words = result.result["error"]
        assert isinstance(words, str)
        assert "crashed" not in words, words
        return words

    async def preview(self, name: str, **args: Json) -> str:
        tool = self._tool(name)
        assert tool.preview is not None
        assert self.workspace is not None
        return await tool.preview(fitting(name, tool.arguments, args), self.workspace)

    def touches(self, name: str, **args: Json) -> Touches:
        tool = self._tool(name)
        assert tool.touches is not None
        return tool.touches(fitting(name, tool.arguments, args))

    async def _forbidden_of(self, touches: Touches) -> frozenset[str]:
        return self.forbidden & {*touches.reads, *touches.writes}

    def _tool(self, name: str) -> AnyTool:
        found = self._toolbox.find(name)
        assert found is not None
        return found


@contextmanager
def a_desk(path: Path) -> Iterator[FileDesk]:
    root, outside = path / "root", path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("secret")
    threads = Threads()
    yield FileDesk(LocalFiles(root, threads), root)
    threads.close()
