"""Reading a file of a workspace such that its text may reach a prompt. The file can be anything."""

from collections.abc import Mapping

from msgspec import Struct

from chatd.domain.workspace.context import RESOURCE_BYTES_MAX, ResourceStatus
from chatd.kit.hidden import without_hidden
from chatd.kit.text import one_line, shortened, valid_text
from chatd.workspaces.files import FileError, Files, Problem

_ERROR_CHARACTERS_MAX = 300
# There is no such file. A link that leads nowhere is none either.
_ABSENT = frozenset({Problem.MISSING, Problem.NOT_DIRECTORY})
_STATUSES: Mapping[Problem, ResourceStatus] = {Problem.OUTSIDE: ResourceStatus.EXCLUDED}


class TextFile(Struct, frozen=True, kw_only=True):
    """What was found, and its text if that is `ok`; else why not."""

    status: ResourceStatus = ResourceStatus.OK
    # Absolute, without symbolic links; empty: not known.
    real_path: str = ""
    size_bytes: int = 0
    text: str = ""
    error: str = ""


async def read_text_file(files: Files, path: str) -> TextFile | None:
    """None: there is no such file. Raises FileError only when the workspace itself is away."""
    try:
        found = await files.stat(path)
        if found.size > RESOURCE_BYTES_MAX:
            return _oversize(found.path, found.size)
        piece = await files.read(path, limit=RESOURCE_BYTES_MAX + 1)
    except FileError as error:
        if error.problem in _ABSENT:
            return None
        if error.problem is Problem.UNAVAILABLE:
            raise
        status = _STATUSES.get(error.problem, ResourceStatus.UNREADABLE)
        return TextFile(status=status, error=shown(str(error), _ERROR_CHARACTERS_MAX))
    if len(piece.data) > RESOURCE_BYTES_MAX:
        # It has grown since we looked.
        return _oversize(found.path, piece.file_size)
    try:
        text = piece.data.decode("utf-8")
    except UnicodeDecodeError:
        return TextFile(
            status=ResourceStatus.INVALID,
            real_path=found.path,
            size_bytes=len(piece.data),
            error="It is not UTF-8 text.",
        )
    # Not that of `found`: it may be a link that leads elsewhere by now.
    return TextFile(real_path=piece.path, size_bytes=len(piece.data), text=without_hidden(text))


def shown(words: str, length_max: int = 1000) -> str:
    """Names of files and messages about them on one line, fit to be stored. They can be anything."""
    return shortened(one_line(without_hidden(valid_text(words))), length_max)


def _oversize(real_path: str, size: int) -> TextFile:
    return TextFile(
        status=ResourceStatus.OVERSIZE,
        real_path=real_path,
        size_bytes=size,
        error=f"It has more than {RESOURCE_BYTES_MAX // 1024} KiB.",
    )
