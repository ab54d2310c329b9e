"""A working copy of an agent's own: a clone of the repository, inside of the workspace that it is a clone of.

All of it is done by `git` in the sandbox of the workspace's commands: a repository may name programs to be
run, and what an agent can write to must not run anything outside. It is a clone and no worktree of git's,
because the agent's own sandbox ends at the clone, and a worktree keeps its history elsewhere.

What the agent has changed comes back as a patch of the files: all of it or nothing, without a commit, and
never over something that is different here.
"""

import asyncio
from contextlib import suppress

from chatd.domain.ids import ChatId
from chatd.kit.ids import new_id
from chatd.tools.processes.place import processes_of
from chatd.tools.tool import Setting, ToolError
from chatd.workspaces.processes import (
    CannotStart,
    Look,
    Output,
    ProcessError,
    Processes,
    Signal,
    Start,
    Until,
)

FOLDER = ".chatd/agents"
GIT_SECONDS_MAX = 300.0
_NAME_CHARACTERS = 12

_MAKE = """\
set -eu
prefix="$(git rev-parse --show-prefix)"
if [ -n "$prefix" ]; then echo "The workspace is not the root of its repository."; exit 3; fi
git rev-parse -q --verify HEAD^0 > /dev/null || { echo "The repository has no commit yet."; exit 3; }
if [ ! -d DIR ]; then
  mkdir -p FOLDER
  printf '*\\n' > .chatd/.gitignore
  rm -rf DIR.new
  git -c core.hooksPath=/dev/null clone -q --no-hardlinks . DIR.new
  git -C DIR.new config user.name "An agent of chatd"
  git -C DIR.new config user.email "agent@chatd.invalid"
  git -C DIR.new switch -q -c agents/NAME
  git -C DIR.new remote remove origin
  git -C DIR.new update-ref refs/chatd/base HEAD
  mv DIR.new DIR
fi
if [ -n "$(git status --porcelain)" ]; then echo uncommitted; fi
"""

# The index of the clone has all that differs from what was brought back last, committed or not.
_BRING_BACK = """\
set -eu
if [ ! -d DIR/.git ]; then echo "The working copy of this agent is gone."; exit 3; fi
git -C DIR -c core.hooksPath=/dev/null -c core.fsmonitor=false add -A
git -C DIR diff --cached --binary --no-ext-diff --no-textconv refs/chatd/base > DIR.patch
if [ ! -s DIR.patch ]; then rm DIR.patch; exit 0; fi
git apply --whitespace=nowarn DIR.patch || { rm DIR.patch; exit 4; }
git apply --numstat DIR.patch
rm DIR.patch
tree="$(git -C DIR write-tree)"
git -C DIR update-ref refs/chatd/base "$(git -C DIR commit-tree -m 'Brought back' "$tree")"
"""

_REMOVE = "rm -rf DIR DIR.new DIR.patch"

CONFLICT = 4


def directory_of(child_id: ChatId) -> str:
    """Relative to the workspace of the parent."""
    return f"{FOLDER}/{_name(child_id)}"


async def make_copy(setting: Setting, child_id: ChatId) -> bool:
    """Made once for a child. Whether the workspace has changes that are in no commit, so not in the copy."""
    output = await _run(processes_of(setting), setting.chat_id, _filled(_MAKE, child_id))
    if output.process.exit_code != 0:
        raise ToolError(f"No agent was started: there can be no working copy. {output.text.strip()}")
    return output.text.strip().endswith("uncommitted")


async def bring_back(setting: Setting, child_id: ChatId) -> list[str]:
    """The files that were changed here. Raises ToolError; then nothing is different."""
    output = await _run(processes_of(setting), setting.chat_id, _filled(_BRING_BACK, child_id))
    if output.process.exit_code == CONFLICT:
        raise ToolError(
            "Nothing was changed, because files of the agent do not fit those of this workspace. Have it "
            "adapt them with message_agent, or edit the files yourself. "
            f"git says:\n{output.text.strip()}"
        )
    if output.process.exit_code != 0:
        raise ToolError(f"Nothing was brought back. {output.text.strip()}")
    # Lines added, lines removed, path.
    return [path for *_, path in (line.split("\t") for line in output.text.splitlines()) if path]


async def remove_copy(processes: Processes, child_id: ChatId) -> None:
    """For good. Raises ToolError when that is not possible now."""
    directory = directory_of(child_id)
    if any(each.running and directory in each.command for each in await processes.list(None)):
        raise ToolError(f"A command is at work on {directory}.")
    output = await _run(processes, child_id, _filled(_REMOVE, child_id))
    if output.process.exit_code != 0:
        raise ToolError(f"{directory} could not be removed. {output.text.strip()}")


def is_copy(workspace: str | None, child_id: ChatId) -> bool:
    """Whether the child with this workspace has a working copy of its own."""
    return workspace is not None and workspace.endswith(f"/{directory_of(child_id)}")


def _filled(script: str, child_id: ChatId) -> str:
    name = _name(child_id)
    return script.replace("DIR", f"{FOLDER}/{name}").replace("FOLDER", FOLDER).replace("NAME", name)


def _name(child_id: ChatId) -> str:
    """Hexadecimal digits alone: it becomes part of a command."""
    return child_id.replace("-", "")[:_NAME_CHARACTERS]


async def _run(processes: Processes, chat_id: ChatId, command: str) -> Output:
    process_id = new_id().replace("-", "")[-_NAME_CHARACTERS:]
    try:
        await processes.start(Start(id=process_id, chat_id=chat_id, command=command))
        output = await processes.output(
            chat_id, process_id, Look(), until=Until.EXIT, wait_seconds=GIT_SECONDS_MAX
        )
        if output.process.running:
            await processes.signal(chat_id, process_id, Signal.KILL)
    except asyncio.CancelledError:
        with suppress(ProcessError):
            await processes.signal(chat_id, process_id, Signal.KILL)
        raise
    except CannotStart as error:
        raise ToolError(str(error)) from error
    except ProcessError as error:
        raise ToolError(f"git could not be waited for: {error}") from error
    if output.process.running:
        raise ToolError(f"git has not ended within {GIT_SECONDS_MAX:g} seconds, and was stopped.")
    return output
