"""Git as we run it: what it can reach, and what is left of it when its caller is gone."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatd.workspaces.local.checkpoints.git import Git, GitError, TooLong, git_path
from chatd.workspaces.local.checkpoints.repository import Repository
from chatd.workspaces.local.files.threads import Stop, Stopped
from chatd.workspaces.local.programs import landlock
from tests.workspaces.local.checkpoints.project import directory_of

confined = pytest.mark.skipif(not landlock.is_available(), reason="The kernel has no Landlock.")


@pytest.fixture
def ours(root: Path) -> Iterator[Git]:
    program = git_path()
    assert program is not None
    directory_of(root).parent.mkdir()
    Repository(directory_of(root)).make(root)
    lock = os.open(root.parent / "lock", os.O_CREAT | os.O_RDWR)
    yield Git(program, directory_of(root), root, stop=Stop(), lock=lock)
    os.close(lock)


@confined
def test_it_reads_what_is_in_the_workspace_and_nothing_outside_of_it(root: Path, ours: Git) -> None:
    """A file that is exchanged for a link while git opens it is the same to the kernel."""
    (root.parent / "secret").write_text("secret")
    (root / "link").symlink_to(root.parent / "secret")

    assert ours("hash-object", "main.py")
    for path in ("link", str(root.parent / "secret")):
        with pytest.raises(GitError, match="Permission denied"):
            ours("hash-object", path)


@confined
def test_it_writes_to_our_repository_and_nowhere_else(root: Path, ours: Git) -> None:
    ours("update-index", "--add", "main.py")
    (root / "main.py").unlink()

    with pytest.raises(GitError, match="Permission denied"):
        ours("checkout-index", "--all")
    with pytest.raises(GitError, match="Permission denied"):
        ours("checkout-index", "--all", "--prefix", f"{root.parent}/outside/")
    assert not (root / "main.py").exists()


def test_it_can_be_read_in_a_server_with_many_connections(root: Path, ours: Git) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2000), before[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert ours("hash-object", "main.py")
    finally:
        for file in held:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_it_says_when_it_fails_is_told_and_its_output_is_bounded(root: Path, ours: Git) -> None:
    with pytest.raises(GitError, match="no-such-command"):
        ours("no-such-command")
    (directory_of(root) / "index").write_bytes(b"damaged")
    with pytest.raises(GitError) as damaged:
        ours("write-tree")
    assert str(directory_of(root)) not in str(damaged.value)
    with pytest.raises(TooLong):
        ours("hash-object", "main.py", bytes_max=5)


def test_it_is_ended_when_its_caller_is_gone(root: Path, ours: Git) -> None:
    os.mkfifo(root / "pipe")
    ours.stop.set()

    with pytest.raises(Stopped):
        # It would wait for the other end of the pipe for ever.
        ours("hash-object", "pipe")


def test_nothing_of_the_servers_environment_reaches_it(
    root: Path, ours: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(root / ".git"))
    monkeypatch.setenv("GIT_TRACE", str(root.parent / "trace"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.quotePath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "nonsense")

    assert ours("rev-parse", "--absolute-git-dir").decode().strip() == str(directory_of(root))
    assert not (root.parent / "trace").exists()
