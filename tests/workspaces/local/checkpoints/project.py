"""A directory with a git repository of its user, and checkpoints of it with a real git."""

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from stat import S_IMODE

from chatd.domain.ids import ChatId
from chatd.kit.clock import SystemClock
from chatd.workspaces.checkpoints import Restored
from chatd.workspaces.local.checkpoints.bounds import BOUNDS, Bounds
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from chatd.workspaces.local.files.threads import Threads

# The content of larger files is not compared.
SIZE_MAX = 64 * 1024**2

CHAT, OTHER = ChatId("chat"), ChatId("../other chat")


def make_project(root: Path) -> Path:
    """With one commit."""
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "main.py").write_text("print('one')\n")
    git(root, "add", ".")
    commit(root, "first")
    return root


def commit(root: Path, words: str) -> None:
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", words)


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S607


def directory_of(root: Path) -> Path:
    return root.parent / "data" / "checkpoints.git"


class Clock(SystemClock):
    """The real one, which a test can put forward."""

    ahead_seconds = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_seconds


def points_of(root: Path, bounds: Bounds = BOUNDS, clock: Clock | None = None) -> LocalCheckpoints:
    program = git_path()
    assert program is not None
    return LocalCheckpoints(
        program, directory_of(root), root, clock=clock or Clock(), threads=Threads(), bounds=bounds
    )


async def quietly(restored: Restored) -> None:
    """Nobody is told."""


def files_of(root: Path) -> Mapping[str, tuple[str, str]]:
    """Every file with its permissions and content, every link with its target; but nothing of `.git`."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if ".git" in name.split("/"):
            continue
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_file():
            size = path.stat().st_size
            content = hashlib.sha256(path.read_bytes()).hexdigest() if size < SIZE_MAX else f"{size} bytes"
            found[name] = (oct(S_IMODE(path.stat().st_mode)), content)
        elif path.is_dir() and any(path.iterdir()):
            found[name + "/"] = (oct(S_IMODE(path.stat().st_mode)), "")
    return found


def users_repository(root: Path) -> Mapping[str, str]:
    """Every byte of it: index, HEAD, branches, stash, reflog, objects, settings."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((root / ".git").rglob("*"))
        if path.is_file()
    }
