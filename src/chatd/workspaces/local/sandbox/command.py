"""How a command of a chat becomes a program with arguments and an environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from chatd.workspaces.local.git.run_by_git import NOTHING, RunByGit
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure
from chatd.workspaces.local.sandbox.environment import environment
from chatd.workspaces.local.sandbox.limits import prelude
from chatd.workspaces.local.sandbox.mounts import Place, arguments, home_inside
from chatd.workspaces.local.sandbox.scratch import Scratch
from chatd.workspaces.processes import CannotStart, Start
from chatd.workspaces.protection import Level

SHELL = "/bin/sh"
# The longest text that the system takes as one argument is 128 KiB.
COMMAND_BYTES_MAX = 120 * 1024

# `$0` is the shell, `$1` the directory, `$2` the command. The limits come in between.
_ENTER = 'cd -- "$1" || exit 126\n'
_RUN = '\nexec "$0" -c "$2"'

_NO_SHELL = (
    "There is no `{shell}` in this workspace, and commands are run by it. Ask the user to install a POSIX "
    "shell (on Windows: WSL) and to restart the server."
)


class Workplace(Struct, frozen=True, kw_only=True):
    """Where the commands of a workspace run, and with which protection. Paths have no symbolic links."""

    root: Path
    scratch: Scratch
    enclosure: Enclosure
    confinement: Confinement
    server_environment: Mapping[str, str]
    shell_path: str = SHELL

    @property
    def is_confined(self) -> bool:
        return bool(self.enclosure.sandbox)

    @property
    def home(self) -> str:
        return home_inside(self._place) if self.is_confined else str(self.scratch.home)

    @property
    def _place(self) -> Place:
        return Place(
            root=self.root,
            tmp=self.scratch.tmp,
            home=self.scratch.home,
            user_home=Path.home().resolve(),
            hidden=tuple(path.resolve() for path in self.confinement.hidden),
            readable=tuple(path.resolve() for path in self.confinement.readable),
            writable=tuple(path.resolve() for path in self.confinement.writable),
            network=self.confinement.network,
        )

    def check(self, start: Start) -> None:
        """Raises CannotStart when the command cannot run here, with what to do."""
        if self.enclosure.protection.level is Level.CLOSED:
            raise CannotStart(self.enclosure.protection.why)
        if not start.command.strip():
            raise CannotStart("The command is empty.")
        texts = (start.command, start.workdir or "", *start.env, *start.env.values())
        if any("\0" in text for text in texts):
            raise CannotStart("A command, its directory and its environment cannot hold a NUL character.")
        if len(start.command.encode("utf-8", "surrogatepass")) > COMMAND_BYTES_MAX:
            raise CannotStart(
                f"The command is longer than {COMMAND_BYTES_MAX} bytes. Write it to a file, and run that."
            )
        if not os.access(self.shell_path, os.X_OK):
            raise CannotStart(_NO_SHELL.format(shell=self.shell_path))

    def workdir(self, start: Start) -> str:
        """Whether the command may be in there is for the sandbox to say, which has a view of its own."""
        if start.workdir is None:
            return str(self.root) if self.root.is_dir() else self.home
        wanted = Path(os.path.normpath(self.root / start.workdir))
        if wanted.is_relative_to(self.root) and not wanted.is_dir():
            raise CannotStart(f"The directory {start.workdir} does not exist in the workspace.")
        if wanted.is_relative_to(self.root) and not wanted.resolve().is_relative_to(self.root):
            # The rules were asked about a place inside.
            raise CannotStart(f"The directory {start.workdir} leads out of the workspace.")
        return str(wanted)

    def sandbox(self, *, read_only: bool = False, git: RunByGit = NOTHING) -> list[str]:
        """How the program begins; empty without a sandbox."""
        if not self.is_confined:
            return []
        return [*self.enclosure.sandbox, *arguments(replace(self._place, read_only=read_only, git=git))]

    def program(self, command: str, workdir: str) -> list[str]:
        limits = prelude(self.confinement.limits, count_processes=self.is_confined)
        return [
            self.shell_path,
            "-c",
            f"{_ENTER}{limits}{_RUN}",
            self.shell_path,
            workdir,
            _encodable(command),
        ]

    def environment(self, start: Start, marks: Mapping[str, str]) -> dict[str, str]:
        made = environment(
            self.server_environment,
            chat_id=start.chat_id,
            home=self.home,
            passed=self.confinement.passed,
            wanted=start.env,
        )
        return {**made, **marks}


def _encodable(command: str) -> str:
    """Half surrogate pairs, which models write now and then, are no text that a program can be given."""
    return command.encode("utf-8", "replace").decode("utf-8")
