"""Files of a chat's workspace by a part of their path: for those who want to mention one."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted_chat
from chatd.api.router import Asked, Server
from chatd.errors import NotAllowed
from chatd.storage.reads.read import read_setup
from chatd.workspaces.files import FileError, FindQuery, Found
from chatd.workspaces.workspace import WorkspaceUnusable

FILES_MAX = 50
TEXT_LENGTH_MAX = 200
# Looked through for the directories that were asked for.
CANDIDATES_MAX = 1000


class FindFiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[
        Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)],
        Meta(description="A part of the path, in small or capital letters; empty: any."),
    ] = ""


class FileList(Struct, frozen=True, kw_only=True):
    files: Annotated[tuple[str, ...], Meta(description="Paths from the root of the workspace on.")]
    more: Annotated[bool, Meta(description="There may be more than these.")] = False


async def find(asked: Asked[FindFiles, Nothing]) -> FileList:
    """Without what ignore files name. Of a chat without a workspace there are none."""
    chat = await permitted_chat(asked)
    directory = (await read_setup(asked.store.db, chat.id)).workspace
    if directory is None:
        return FileList(files=())
    found = await _found(asked.server, directory, asked.query.q)
    wanted = asked.query.q.casefold()
    fitting = sorted((path for path in found.paths if wanted in path.casefold()), key=len)
    return FileList(files=tuple(fitting[:FILES_MAX]), more=found.truncated or len(fitting) > FILES_MAX)


async def _found(server: Server, directory: str, text: str) -> Found:
    try:
        workspace = await server.open_workspace(directory)
        return await workspace.files.find(FindQuery(pattern=_pattern(text), limit=CANDIDATES_MAX))
    except (WorkspaceUnusable, FileError) as error:
        raise NotAllowed(
            "workspace_unusable",
            f"The workspace of this chat, {directory}, cannot be used now.",
            hint="See whether the directory exists, and whether `chatd serve --workspace` still names it.",
        ) from error


def _pattern(text: str) -> str:
    """Names that have what is behind the last slash, whichever case its letters have."""
    name = text.rpartition("/")[2]
    return f"*{''.join(map(_either_case, name))}*" if name else "**"


def _either_case(letter: str) -> str:
    if letter.isalpha() and letter.isascii():
        return f"[{letter.lower()}{letter.upper()}]"
    # Anything else that could mean something in a pattern stands for one character: paths are compared after.
    return letter if letter.isalnum() or letter in "._- " else "?"
