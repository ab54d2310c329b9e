"""`kill -9` while files are put back. What was begun can be finished, and it can be undone."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from chatd.domain.ids import MessageId
from chatd.workspaces.checkpoints import CheckpointError
from chatd.workspaces.local.checkpoints.bounds import Bounds
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from tests.workspaces.local.checkpoints.project import (
    CHAT,
    directory_of,
    files_of,
    points_of,
    quietly,
)
from tests.workspaces.local.checkpoints.restorer import KILLED_AT

# More than a restorer puts in place before it dies, several times.
FILES = 10 * KILLED_AT
PATIENCE_SECONDS = 60

HOLDER = """
import fcntl, sys
lock = open(sys.argv[1])
fcntl.flock(lock, fcntl.LOCK_EX)
print(flush=True)
sys.stdin.read()
"""

State = Mapping[str, tuple[str, str]]


@pytest.fixture
async def states(root: Path, points: LocalCheckpoints) -> tuple[State, State]:
    """Before a step of the agent, and after it."""
    for number in range(FILES):
        (root / f"{number:04}.txt").write_text(f"before {number}\n")
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    for number in range(FILES):
        file = root / f"{number:04}.txt"
        if number % 3:
            file.write_text(f"after {number}\n")
        else:
            file.unlink()
        (root / f"new-{number:04}.txt").write_text("made by the agent\n")
    return before, files_of(root)


async def kill_in_the_middle(root: Path, *arguments: str) -> None:
    """Restore in a process of its own, which is killed when some of the files are in place."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.workspaces.local.checkpoints.restorer", str(root), *arguments
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await process.wait() == -signal.SIGKILL
    assert (await points_of(root).kept(CHAT)).interrupted


async def test_a_restore_that_was_killed_can_be_finished_and_then_undone(
    root: Path, states: tuple[State, State]
) -> None:
    before, after = states
    await kill_in_the_middle(root, "2")
    assert files_of(root) not in (before, after)
    points = points_of(root)

    await points.restore(CHAT, MessageId(2), quietly)
    assert files_of(root) == before
    assert not (await points.kept(CHAT)).interrupted

    await points.restore(CHAT, None, quietly)
    assert files_of(root) == after


async def test_a_restore_that_was_killed_can_be_undone_and_then_done_again(
    root: Path, states: tuple[State, State]
) -> None:
    before, after = states
    await kill_in_the_middle(root, "2")
    points = points_of(root)

    await points.restore(CHAT, None, quietly)
    assert files_of(root) == after

    await points.restore(CHAT, None, quietly)
    assert files_of(root) == before


async def test_a_restore_may_be_killed_twice(root: Path, states: tuple[State, State]) -> None:
    before, after = states
    await kill_in_the_middle(root, "2")
    await kill_in_the_middle(root, "2")
    points = points_of(root)

    await points.restore(CHAT, MessageId(2), quietly)
    assert files_of(root) == before
    await points.restore(CHAT, None, quietly)
    assert files_of(root) == after


async def test_what_was_changed_after_the_kill_is_not_lost(root: Path, states: tuple[State, State]) -> None:
    before, _ = states
    await kill_in_the_middle(root, "2")
    (root / "main.py").write_text("written by the user since\n")
    points = points_of(root)

    await points.restore(CHAT, MessageId(2), quietly)
    assert files_of(root) == before
    await points.restore(CHAT, None, quietly)

    assert (root / "main.py").read_text() == "written by the user since\n"


async def test_nothing_of_a_killed_restore_stays_beside_the_files(
    root: Path, states: tuple[State, State]
) -> None:
    before, _ = states
    await kill_in_the_middle(root, "2")
    (root / ".chatd-restore-0123").write_text("half of a file")

    await points_of(root).restore(CHAT, MessageId(2), quietly)

    assert files_of(root) == before


async def test_a_git_that_was_killed_leaves_no_lock_behind(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (directory_of(root) / "index.lock").write_text("left by a git that is gone")
    (root / "main.py").write_text("changed\n")

    await points.take(CHAT, MessageId(4))

    assert len((await points.kept(CHAT)).checkpoints) == 2


async def test_a_git_that_outlives_its_server_is_waited_for(root: Path, points: LocalCheckpoints) -> None:
    """It has the lock from its server, which is gone."""
    await points.take(CHAT, MessageId(2))
    lock = directory_of(root).with_suffix(".lock")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdout.readline()

    with pytest.raises(CheckpointError, match="longer than"):
        await points_of(root, Bounds(take_seconds_max=0.2)).take(CHAT, MessageId(4))
    holder.stdin.close()
    await points.take(CHAT, MessageId(4))

    holder.wait()
    holder.stdout.close()
    assert len((await points.kept(CHAT)).checkpoints) == 2


@pytest.mark.parametrize("content", [b"", b"damaged", b"DIRC" + bytes(100)], ids=["empty", "words", "zeros"])
async def test_an_index_that_a_power_failure_has_damaged_is_made_anew(
    root: Path, points: LocalCheckpoints, content: bytes
) -> None:
    await points.take(CHAT, MessageId(2))
    (directory_of(root) / "index").write_bytes(content)
    (root / "main.py").write_text("changed\n")

    await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "main.py").read_text() == "print('one')\n"
