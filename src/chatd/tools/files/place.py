"""The files of the chat's workspace, and what a tool tells where something is wrong with one of them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

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


@contextmanager
def problems_told() -> Iterator[None]:
    """What is wrong with a file becomes an error for the model."""
    try:
        yield
    except FileError as error:
        raise ToolError(told(error)) from error


def told(error: FileError) -> str:
    return f"{error} {ADVICE[error.problem]}" if error.problem in ADVICE else str(error)
