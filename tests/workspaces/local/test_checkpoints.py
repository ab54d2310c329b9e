"""Checkpoints of a directory with a real git."""

import os
import subprocess
from pathlib import Path

import pytest

from chatd.domain.ids import ChatId, MessageId
from chatd.workspaces.checkpoints import ChangedFile, CheckpointError, Deed
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints

CHAT, OTHER = ChatId("chat"), ChatId("../other chat")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "main.py").write_text("print('one')\n")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first")
    return root


def points_of(root: Path, **bounds: int) -> LocalCheckpoints:
    program = git_path()
    assert program is not None
    return LocalCheckpoints(program, root.parent / "data" / "checkpoints.git", root, **bounds)


@pytest.fixture
def points(root: Path) -> LocalCheckpoints:
    return points_of(root)


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S607


def files_of(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in sorted(root.rglob("*"))
        if (path.is_symlink() or path.is_file()) and ".git" not in path.relative_to(root).parts
    }


def state_of_the_users_repository(root: Path) -> tuple[object, ...]:
    index = (root / ".git" / "index").read_bytes()
    objects = sorted(str(path) for path in (root / ".git" / "objects").rglob("*"))
    return index, objects, git(root, "for-each-ref"), (root / ".git" / "HEAD").read_text()


async def test_files_that_were_changed_made_and_removed_come_back(
    root: Path, points: LocalCheckpoints
) -> None:
    (root / "gone.txt").write_text("here\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("main.py")
    before = files_of(root)
    await points.take(CHAT, MessageId(2))

    (root / "main.py").write_text("print('two')\n")
    (root / "gone.txt").unlink()
    (root / "run.sh").unlink()
    (root / "link").unlink()
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "file.txt").write_text("new\n")
    restored = await points.restore(CHAT, MessageId(2))

    assert files_of(root) == before
    assert os.access(root / "run.sh", os.X_OK)
    assert not (root / "new").exists()
    assert ChangedFile(path="new/deep/file.txt", deed=Deed.REMOVED) in restored.files
    assert ChangedFile(path="gone.txt", deed=Deed.ADDED) in restored.files
    assert ChangedFile(path="main.py", deed=Deed.CHANGED) in restored.files


async def test_nothing_of_the_users_repository_is_touched(root: Path, points: LocalCheckpoints) -> None:
    (root / "main.py").write_text("print('staged')\n")
    git(root, "add", ".")
    (root / "main.py").write_text("print('not staged')\n")
    before = state_of_the_users_repository(root)

    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("print('by the agent')\n")
    await points.restore(CHAT, MessageId(2))

    assert state_of_the_users_repository(root) == before
    assert (root / "main.py").read_text() == "print('not staged')\n"


async def test_a_users_message_restores_the_whole_turn_and_a_later_one_its_rest(
    root: Path, points: LocalCheckpoints
) -> None:
    """Message 1 is the user's; 2 and 4 have calls that change something."""
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("after the first step\n")
    await points.take(CHAT, MessageId(4))
    (root / "main.py").write_text("after the second step\n")

    await points.restore(CHAT, MessageId(3))
    assert (root / "main.py").read_text() == "after the first step\n"
    await points.restore(CHAT, MessageId(1))
    assert (root / "main.py").read_text() == "print('one')\n"
    assert await points.kept(CHAT) == [2, 4]


async def test_a_checkpoint_for_the_same_message_is_the_first_one(
    root: Path, points: LocalCheckpoints
) -> None:
    """A step that is begun again after a crash may have changed something already."""
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("half done\n")
    await points.take(CHAT, MessageId(2))

    await points.restore(CHAT, MessageId(2))

    assert (root / "main.py").read_text() == "print('one')\n"


async def test_a_restore_can_be_taken_back(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("by the agent\n")
    (root / "made.txt").write_text("made\n")
    after = files_of(root)
    await points.restore(CHAT, MessageId(2))

    await points.restore(CHAT, None)

    assert files_of(root) == after


async def test_what_git_ignores_and_large_files_are_left_alone(root: Path) -> None:
    points = points_of(root, file_bytes_max=100)
    (root / "build").mkdir()
    (root / "build" / "out").write_text("built")
    (root / "debug.log").write_text("log")
    (root / "large.bin").write_text("x" * 101)
    await points.take(CHAT, MessageId(2))
    (root / "build" / "out").write_text("built again")
    (root / "large.bin").write_text("y" * 200)

    await points.restore(CHAT, MessageId(2))

    assert (root / "build" / "out").read_text() == "built again"
    assert (root / "debug.log").read_text() == "log"
    assert (root / "large.bin").read_text() == "y" * 200


async def test_the_diff_of_a_turn_and_of_everything_since(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("print('two')\n")
    await points.take(CHAT, MessageId(6))
    (root / "later.txt").write_text("later\n")

    turn = await points.diff(CHAT, MessageId(1), MessageId(5))
    everything = await points.diff(CHAT, MessageId(1), None)

    assert turn.files == (ChangedFile(path="main.py", deed=Deed.CHANGED),)
    assert "-print('one')\n+print('two')" in turn.text
    assert [file.path for file in everything.files] == ["later.txt", "main.py"]


async def test_a_diff_that_is_too_long_names_its_files(root: Path) -> None:
    points = points_of(root, diff_bytes_max=100)
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("x\n" * 1000)

    diff = await points.diff(CHAT, MessageId(1), None)

    assert (diff.too_long, diff.text, len(diff.files)) == (True, "", 1)


async def test_a_chat_knows_nothing_of_the_checkpoints_of_another(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(OTHER, MessageId(2))
    (root / "main.py").write_text("changed\n")

    assert await points.kept(CHAT) == []
    with pytest.raises(CheckpointError, match="changed no file"):
        await points.restore(CHAT, MessageId(1))
    with pytest.raises(CheckpointError, match="taken back"):
        await points.restore(CHAT, None)
    assert (root / "main.py").read_text() == "changed\n"


async def test_before_the_first_checkpoint_there_is_nothing_to_restore(points: LocalCheckpoints) -> None:
    assert await points.kept(CHAT) == ()
    with pytest.raises(CheckpointError, match="yet"):
        await points.restore(CHAT, MessageId(1))


async def test_only_so_many_are_kept_and_none_of_a_chat_that_is_gone(root: Path) -> None:
    points = points_of(root, kept_max=3)
    for message in range(1, 6):
        await points.take(CHAT, MessageId(message))
    assert await points.kept(CHAT) == [3, 4, 5]

    await points.forget(CHAT)

    assert await points.kept(CHAT) == []


async def test_hooks_filters_and_settings_of_the_workspace_are_not_run(
    root: Path, points: LocalCheckpoints, tmp_path: Path
) -> None:
    witness = tmp_path / "ran"
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {witness}\n")
    hook.chmod(0o755)
    git(root, "config", "filter.evil.clean", f"touch {witness}; cat")
    git(root, "config", "core.fsmonitor", f"touch {witness}")
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    git(root, "config", "diff.evil.textconv", f"touch {witness}; cat")

    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")
    await points.diff(CHAT, MessageId(2), None)
    await points.restore(CHAT, MessageId(2))

    assert not witness.exists()


async def test_a_directory_that_became_a_link_is_no_way_out(
    root: Path, points: LocalCheckpoints, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file.txt").write_text("not yours\n")
    (root / "sub").mkdir()
    (root / "sub" / "file.txt").write_text("mine\n")
    await points.take(CHAT, MessageId(2))
    (root / "sub" / "file.txt").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)

    await points.restore(CHAT, MessageId(2))

    assert (outside / "file.txt").read_text() == "not yours\n"
    assert (root / "sub" / "file.txt").read_text() == "mine\n"
    assert not (root / "sub").is_symlink()


async def test_strange_names_come_back_too(root: Path, points: LocalCheckpoints) -> None:
    names = ["two\nlines", "tab\there", "-rf", "ünï", ":(top)x", os.fsdecode(b"bad-\xff")]
    for name in names:
        (root / name).write_text(name.encode(errors="replace").decode())
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    for name in names:
        (root / name).unlink()

    await points.restore(CHAT, MessageId(2))

    assert files_of(root) == before
