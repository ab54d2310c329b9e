"""Where redirections of a command lead, and the directory that it runs in: a link changes what they mean.

The rules judge paths as they are written. So before a command is judged, the files that a link leads to are
added to what it touches, and its directory is the one that a link of that name leads to.
What a command opens by itself is not seen here: only a sandbox confines that.
"""

import asyncio
from posixpath import isabs, join, normpath, relpath

from msgspec.structs import replace

from chatd.agent.hold.hold import Hold
from chatd.approvals.judge import CLAIMS_MAX, Proposal
from chatd.approvals.shell.parse import parse_command
from chatd.approvals.shell.script import Redirect
from chatd.domain.approvals.rule import Touches
from chatd.workspaces.files import FileError, Files, Problem
from chatd.workspaces.workspace import WorkspaceUnusable

# For all of one call. A workspace that takes longer counts as away: then nothing can be run there.
LOOK_SECONDS = 5.0
# A longer command is parsed in a thread, so that others do not wait for it.
INLINE_CHARACTERS_MAX = 2_000
_SIGNS = frozenset("<>")
# Of a link that leads out of the workspace it is not told where to. Any absolute path is outside.
_OUTSIDE = "/where {path} leads to"


async def with_link_targets(hold: Hold, proposal: Proposal) -> Proposal:
    """The same proposal, for most. It may have to look at files, and never fails."""
    touches = proposal.touches
    if touches is None or not touches.commands:
        return proposal
    redirects = any(_SIGNS.intersection(command) for command in touches.commands)
    if not redirects and not touches.directory:
        return proposal
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            workspace = await hold.workspace()
            if workspace is None:
                return proposal
            return replace(proposal, touches=await _followed(workspace.files, touches))
    except (WorkspaceUnusable, FileError, TimeoutError):
        return proposal


async def _followed(files: Files, touches: Touches) -> Touches:
    if touches.directory and (place := await _target(files, touches.directory)) is not None:
        touches = replace(touches, directory=place, reads=(*touches.reads, place))
    reads, writes = list(touches.reads), list(touches.writes)
    is_long = sum(map(len, touches.commands)) > INLINE_CHARACTERS_MAX
    found = await asyncio.to_thread(_redirects, touches.commands) if is_long else _redirects(touches.commands)
    for redirect in found:
        path = join(touches.directory, redirect.target.text)
        if (target := await _target(files, path)) is not None:
            (writes if redirect.writes else reads).append(target)
    return replace(touches, reads=tuple(reads), writes=tuple(writes))


def _redirects(commands: tuple[str, ...]) -> list[Redirect]:
    """A call with more of them is asked for as a whole."""
    found = [redirect for command in commands for redirect in parse_command(command).redirects]
    return [redirect for redirect in found if redirect.target.known][: CLAIMS_MAX + 1]


async def _target(files: Files, path: str) -> str | None:
    """Where a link leads to, from the root on. None: the path is no link, or is judged as it is written."""
    inside = relpath(normpath(join(files.root, path)), files.root)
    if isabs(inside) or inside.startswith(".."):
        return None
    try:
        real = relpath(await files.resolve(path), files.root)
    except FileError as error:
        return _OUTSIDE.format(path=path) if error.problem is Problem.OUTSIDE else None
    return real if real != inside else None
