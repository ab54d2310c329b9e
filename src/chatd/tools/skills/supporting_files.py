"""The files beside a SKILL.md, inside of its directory: which there are, and which may be read."""

from collections import deque
from pathlib import PurePosixPath

from chatd.tools.tool import ToolError
from chatd.workspaces.context.discover import SKILL_FILE
from chatd.workspaces.files import FileKind, Files

FILES_LISTED_MAX = 200
DIRECTORIES_MAX = 50
DEPTH_MAX = 4


async def supporting_files(files: Files, directory: str) -> list[str]:
    """Paths from the directory of the skill on. Links are not followed. Raises FileError."""
    found: list[str] = []
    ahead = deque([PurePosixPath()])
    for _ in range(DIRECTORIES_MAX):
        if not ahead:
            break
        below = ahead.popleft()
        listing = await files.list(str(directory / below), limit=FILES_LISTED_MAX + 1)
        for entry in listing.entries:
            path = below / entry.name
            if entry.name.startswith(".") or path == PurePosixPath(SKILL_FILE):
                continue
            if entry.kind is FileKind.FILE:
                found.append(str(path))
            elif entry.kind is FileKind.DIRECTORY and len(path.parts) < DEPTH_MAX:
                ahead.append(path)
        if len(found) >= FILES_LISTED_MAX:
            break
    return found[:FILES_LISTED_MAX]


def check_path(path: str) -> None:
    """By its words alone, before the workspace is asked. Raises ToolError."""
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        raise ToolError("The path must lead from the directory of the skill to a file in it, without `..`.")
    if not path.strip("/") or "\0" in path or any(part.startswith(".") for part in parts):
        raise ToolError("The path must name a file that is not hidden: no part of it begins with a dot.")


async def real_path(files: Files, directory: str, path: str) -> str:
    """Where the path leads, links followed: still in the directory, and not hidden. Raises FileError too."""
    root = PurePosixPath(await files.resolve(directory))
    real = PurePosixPath(await files.resolve(f"{directory}/{path}"))
    if not real.is_relative_to(root) or any(part.startswith(".") for part in real.relative_to(root).parts):
        raise ToolError(f"{path} leads out of the directory of the skill, or to a hidden file.")
    return str(real)
