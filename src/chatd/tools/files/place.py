"""The files of the chat's workspace, and what a tool tells where something is wrong with one of them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from posixpath import join, normpath, relpath

from chatd.domain.approvals.rule import Touches
from chatd.tools.tool import Setting, ToolError
from chatd.workspaces.files import FileError, Files, Problem

# Reading may have to go through a very large file, and a file system may be slow; more is a mistake.
SECONDS_MAX = 120.0
# Of each tool that goes through all files: every search uses all cores by itself.
SEARCHES_AT_ONCE = 4

# What to do about it, where the problem itself does not say.
ADVICE: Mapping[Problem, str] = {
    Problem.MISSING: "find_files finds files by their names.",
    Problem.IS_DIRECTORY: "find_files lists what is in it.",
    Problem.DISK_FULL: "Tell the user.",
}


def files_of(setting: Setting) -> Files:
    return setting.place().files


async def expect_readable(setting: Setting, path: str, real: str) -> None:
    """Of a file that was opened. Raises ToolError where it is another one than the rules were asked about."""
    setting.opened(path, real)
    if (inside := _if_elsewhere(setting, path, real)) is not None:
        await _expect_allowed(setting, path, inside, Touches(reads=(inside,)))


async def expect_writable(setting: Setting, paths: Iterable[str]) -> None:
    """As `expect_readable`, before anything is written."""
    for path in paths:
        try:
            real = await files_of(setting).resolve(path)
        except FileError:
            # Writing will say what is wrong with it.
            continue
        if (inside := _if_elsewhere(setting, path, real)) is not None:
            await _expect_allowed(setting, path, inside, Touches(writes=(inside,)))


def _if_elsewhere(setting: Setting, path: str, real: str) -> str | None:
    """Where the path leads from the root on; None: where its words say."""
    root = files_of(setting).root
    if real == f"{root}/{path}":
        return None
    inside = relpath(real, root)
    return inside if inside != relpath(normpath(join(root, path)), root) else None


async def _expect_allowed(setting: Setting, path: str, inside: str, touches: Touches) -> None:
    if await setting.forbidden(touches):
        raise ToolError(f"{path} leads to {inside}, which the rules do not allow.")


@contextmanager
def as_tool_errors() -> Iterator[None]:
    """What is wrong with a file becomes an error for the model."""
    try:
        yield
    except FileError as error:
        raise ToolError(explain(error)) from error


def explain(error: FileError) -> str:
    return f"{error} {ADVICE[error.problem]}" if error.problem in ADVICE else str(error)
