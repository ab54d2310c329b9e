"""The first result that is about a directory has the instruction file in it that is nearest to there."""

import asyncio
from collections.abc import Sequence
from posixpath import join

import structlog
from msgspec.structs import replace

from chatd.agent.approvals.judging import forbidden, touched_by
from chatd.agent.context.told_instructions import ABOUT, KEY, told_in
from chatd.agent.hold.hold import Hold
from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Call, CallResult
from chatd.domain.part import Json
from chatd.kit.concurrency.tasks import is_cancelled
from chatd.tools.calls.truncate import result_bytes_max, truncated
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.context.nearest import Nested, Seen, has_none, nearest_instructions
from chatd.workspaces.files import FileError, Files
from chatd.workspaces.workspace import Workspace

# For all files of one result.
LOOK_SECONDS = 2.0
FILES_MAX = 3
# Of what a call touches, so many paths are looked at.
PATHS_MAX = 20
# All texts of one result together: a quarter of what the result itself may take, and never more than this.
TEXT_BYTES_MAX = 16 * 1024
_SHARE_OF_RESULT = 4
# Whether a model may read such a file is what the rules say of this tool.
_READS = "read_file"

log = structlog.get_logger()


class Nearby:
    """What the calls of one batch are told beside their results. Siblings are not told the same."""

    def __init__(self, hold: Hold, toolbox: Toolbox, workspace: Workspace | None, context_limit: int) -> None:
        self._hold = hold
        self._toolbox = toolbox
        self._workspace = workspace
        self._bytes_max = min(TEXT_BYTES_MAX, result_bytes_max(context_limit) // _SHARE_OF_RESULT)
        self._told: set[str] = set()
        # By the path that a tool was given: the file that it has opened.
        self._opened: dict[str, str] = {}

    def note(self, result: CallResult) -> None:
        """A result that enters the history with this batch, from before a crash perhaps."""
        self._told.update(told_in(result.result))

    def note_opened(self, path: str, real: str) -> None:
        self._opened[path] = real

    async def added_to(self, call: Call, result: CallResult) -> CallResult:
        """The result with what is near to what the call has touched; as it is, most of the time.

        The result exists already, so nothing that goes wrong here may cost it, not even a cancellation:
        that one is noticed by the caller.
        """
        if self._workspace is None or not _can_take_more(result) or is_cancelled():
            return result
        if not (paths := [path for path in self._touched(call) if not self._is_known_to_have_none(path)]):
            return result
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                found = await self._look(call, paths, self._workspace.files)
        except asyncio.CancelledError:
            return result
        except Exception as error:  # noqa: BLE001 - the call has succeeded, whatever this is
            log.warning("nearby.failed", chat_id=self._hold.chat_id, error=type(error).__name__)
            return result
        if not found:
            return result
        return replace(result, result={**result.result, KEY: {"note": ABOUT, "files": found}})

    async def _look(self, call: Call, paths: Sequence[str], files: Files) -> list[Json]:
        found: list[Json] = []
        room = self._bytes_max
        for path in paths:
            if len(found) == FILES_MAX or room <= 0:
                break
            nested = await self._new_near(call, files, path)
            # From here on nothing is awaited: a sibling may have found the same file meanwhile.
            if nested is None or (whole_path := join(files.root, nested.real)) in self._told:
                continue
            self._told.add(whole_path)
            text = truncated(nested.text, room)
            room -= len(text.encode())
            found.append({"path": whole_path, "text": text})
        return found

    def _touched(self, call: Call) -> Sequence[str]:
        touches = touched_by(self._hold, self._toolbox, call)
        return (*touches.reads, *touches.writes)[:PATHS_MAX] if touches is not None else ()

    def _is_known_to_have_none(self, path: str) -> bool:
        """Most calls are about a place where others have been: there is nothing to wait for."""
        opened = self._opened.get(path)
        if opened is None or self._workspace is None:
            return False
        return has_none(self._workspace.files.root, opened, self._seen())

    def _seen(self) -> Seen:
        chat = self._hold.chat
        return self._hold.told_instructions.directories((chat.projection.turn_start, chat.versions.setup))

    async def _new_near(self, call: Call, files: Files, path: str) -> Nested | None:
        """The nearest one that the model has not been told yet and may read."""
        told = self._hold.told_instructions
        try:
            nested = await nearest_instructions(files, path, self._seen(), opened=self._opened.get(path))
        except FileError:
            # It was removed by the call, or never existed.
            return None
        # Files at the root are part of the prompt, whatever links lead to them.
        if nested is None or "/" not in nested.real:
            return None
        whole_path = join(files.root, nested.real)
        if whole_path in self._told or whole_path in told.paths(self._hold.memory.prompt()):
            return None
        is_itself = await files.resolve(path) == whole_path
        return None if is_itself or await self._is_forbidden(call, nested) else nested

    async def _is_forbidden(self, call: Call, nested: Nested) -> bool:
        reading = replace(call, tool=_READS, decided_by=None)
        return bool(await forbidden(self._hold, reading, Touches(reads=(nested.source, nested.real))))


def _can_take_more(result: CallResult) -> bool:
    """A picture is shown as such, and of an error there is nothing to tell."""
    return (
        not (result.is_error or result.is_media)
        and isinstance(result.result, dict)
        and KEY not in result.result
    )
