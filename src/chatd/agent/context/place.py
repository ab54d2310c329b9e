"""What a model is told of the workspace of its chat. Short, and the same at each turn: it is cached."""

import platform

from chatd.kit.text import one_line
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.protection import Protection
from chatd.workspaces.workspace import WorkspaceUnusable


async def describe_place(access: WorkspaceAccess, protection: Protection, directory: str | None) -> str:
    """Empty for a chat without a workspace."""
    if directory is None:
        return ""
    try:
        await access.check(directory)
    except WorkspaceUnusable as unusable:
        return f"You cannot use your workspace now. {unusable}"
    return words_of(directory, platform.system(), protection)


def words_of(directory: str, system: str, protection: Protection) -> str:
    return (
        f"Your workspace is the directory {one_line(directory)} on a machine with {system}. Commands start "
        "there, and paths are relative to it. File tools reach nothing outside of it. "
        f"{protection.in_words()}"
    )
