"""The instruction file that is nearest to a path: in the directory, or above it, but below the root.

Those at the root are part of the snapshot. These are inside, and about a part of the project.
"""

from collections.abc import Iterator, MutableMapping
from pathlib import PurePosixPath
from posixpath import dirname, join
from typing import Final, TypeAlias

from msgspec import Struct

from chatd.domain.workspace.context import ResourceStatus
from chatd.workspaces.context.text_file import read_text_file
from chatd.workspaces.files import FileError, FileKind, Files, Problem

NESTED_FILES = ("AGENTS.md", "CLAUDE.md")
# How far up is looked.
DIRECTORIES_MAX = 32


class Nested(Struct, frozen=True, kw_only=True):
    # Both from the root of the workspace: where it was found, and the file itself, if that is a link.
    source: str
    real: str
    text: str


# By directory: what is in it, if anything. So that a directory is looked at once.
Seen: TypeAlias = MutableMapping[str, Nested | None]
_UNSEEN: Final = object()


async def nearest_instructions(
    files: Files, path: str, seen: Seen, *, opened: str | None = None
) -> Nested | None:
    """None: there is none that can be read. Raises FileError when the path, or the workspace, is no good.

    `opened` is the file that the path has led to, if that is known.
    """
    around = dirname(opened) if opened is not None else await _directory_of(files, path)
    for directory in _up_from(around, files.root):
        if directory not in seen:
            seen[directory] = await _in(files, directory)
        if (found := seen[directory]) is not None:
            return found
    return None


def has_none(root: str, opened: str, seen: Seen) -> bool:
    """Whether every directory from this file up was looked at, and nothing is there."""
    return all(seen.get(directory, _UNSEEN) is None for directory in _up_from(dirname(opened), root))


async def _directory_of(files: Files, path: str) -> str:
    """The path itself, if it is a directory, or else the one that it is in."""
    try:
        found = await files.stat(path)
    except FileError as error:
        if error.problem is not Problem.MISSING:
            raise
        return dirname(await files.resolve(path))
    return found.path if found.kind is FileKind.DIRECTORY else dirname(found.path)


def _up_from(directory: str, root: str) -> Iterator[str]:
    """The directory and those above it, up to the one below the root; each as a path from there.

    Plain text instead of paths: this is asked at every call.
    """
    if directory != root and not directory.startswith(join(root, "")):
        raise ValueError(f"{directory} is not in {root}")
    below = directory[len(join(root, "")) :]
    for _ in range(DIRECTORIES_MAX):
        if not below:
            return
        yield below
        below = dirname(below)


async def _in(files: Files, directory: str) -> Nested | None:
    for name in NESTED_FILES:
        source = f"{directory}/{name}"
        try:
            found = await read_text_file(files, source)
        except FileError:
            return None
        if found is not None and found.status is ResourceStatus.OK and found.text.strip():
            real = PurePosixPath(found.real_path).relative_to(files.root)
            return Nested(source=source, real=str(real), text=found.text)
    return None
