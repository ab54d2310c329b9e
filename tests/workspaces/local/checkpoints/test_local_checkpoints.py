"""Checkpoints of a directory with a real git: what is kept, what comes back, and what is left alone."""

import asyncio
import os
import shutil
from collections.abc import Awaitable
from pathlib import Path

import pytest

from chatd.domain.ids import MessageId
from chatd.errors import NotAllowed
from chatd.workspaces.checkpoints import ChangedFile, CheckpointError, Deed, Kept, Restored
from chatd.workspaces.local.checkpoints.bounds import BOUNDS, Bounds
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from tests.workspaces.local.checkpoints.project import (
    CHAT,
    OTHER,
    Clock,
    commit,
    directory_of,
    files_of,
    git,
    points_of,
    quietly,
    users_repository,
)


async def kept(points: LocalCheckpoints) -> list[int]:
    return [each.message_id for each in (await points.kept(CHAT)).checkpoints]


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
    restored = await points.restore(CHAT, MessageId(2), quietly)

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
    before = users_repository(root)

    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("print('by the agent')\n")
    await points.restore(CHAT, MessageId(2), quietly)

    assert users_repository(root) == before
    assert (root / "main.py").read_text() == "print('not staged')\n"


async def test_commits_branches_and_a_stash_that_the_user_makes_meanwhile_stay(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("by the agent\n")
    git(root, "add", ".")
    commit(root, "by the user")
    git(root, "branch", "feature")
    (root / "main.py").write_text("put away\n")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "stash")
    (root / ".git" / "index.lock").touch()
    before = users_repository(root)

    await points.restore(CHAT, MessageId(2), quietly)

    assert users_repository(root) == before
    assert (root / "main.py").read_text() == "print('one')\n"


async def test_a_directory_without_git_is_kept_just_as_well(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "notes.txt").write_text("mine\n")
    points = points_of(root)
    await points.take(CHAT, MessageId(2))
    (root / "notes.txt").unlink()

    await points.restore(CHAT, MessageId(2), quietly)

    assert [path.name for path in root.iterdir()] == ["notes.txt"]


async def test_a_users_message_restores_the_whole_turn_and_a_later_one_its_rest(
    root: Path, points: LocalCheckpoints
) -> None:
    """Message 1 is the user's; 2 and 4 have calls that change something."""
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("after the first step\n")
    await points.take(CHAT, MessageId(4))
    (root / "main.py").write_text("after the second step\n")

    await points.restore(CHAT, MessageId(3), quietly)
    assert (root / "main.py").read_text() == "after the first step\n"
    await points.restore(CHAT, MessageId(1), quietly)
    assert (root / "main.py").read_text() == "print('one')\n"
    assert await kept(points) == [2, 4]


async def test_a_checkpoint_for_the_same_message_is_the_first_one(
    root: Path, points: LocalCheckpoints
) -> None:
    """A step that is begun again after a crash may have changed something already."""
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("half done\n")
    await points.take(CHAT, MessageId(2))

    await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "main.py").read_text() == "print('one')\n"


async def test_a_restore_can_be_taken_back(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("by the agent\n")
    (root / "made.txt").write_text("made\n")
    after = files_of(root)
    await points.restore(CHAT, MessageId(2), quietly)

    await points.restore(CHAT, None, quietly)

    assert files_of(root) == after


async def test_one_file_comes_back_with_its_directory_and_others_stay_as_they_are(
    root: Path, points: LocalCheckpoints
) -> None:
    folder = root / "deep" / "down"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text("one\n")
    (folder / "two.txt").write_text("two\n")
    await points.take(CHAT, MessageId(2))
    shutil.rmtree(root / "deep")
    (root / "main.py").write_text("by the agent\n")
    after = files_of(root)

    await points.restore(CHAT, MessageId(2), quietly, "deep/down/one.txt")
    assert [path.name for path in folder.iterdir()] == ["one.txt"]
    assert (root / "main.py").read_text() == "by the agent\n"

    await points.restore(CHAT, None, quietly)
    assert files_of(root) == after


async def test_what_git_ignores_and_large_files_are_left_alone(root: Path) -> None:
    points = points_of(root, Bounds(file_bytes_max=100))
    (root / "build").mkdir()
    (root / "build" / "out").write_text("built")
    (root / "debug.log").write_text("log")
    (root / "large.bin").write_text("x" * 101)
    await points.take(CHAT, MessageId(2))
    (root / "build" / "out").write_text("built again")
    (root / "large.bin").write_text("y" * 200)

    await points.restore(CHAT, MessageId(2), quietly)

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
    points = points_of(root, Bounds(diff_bytes_max=100))
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("x\n" * 1000)

    diff = await points.diff(CHAT, MessageId(1), None)

    assert (diff.too_long, diff.text, len(diff.files)) == (True, "", 1)


async def test_a_chat_knows_nothing_of_the_checkpoints_of_another(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(OTHER, MessageId(2))
    (root / "main.py").write_text("changed\n")

    assert await kept(points) == []
    with pytest.raises(CheckpointError, match="changed no file"):
        await points.restore(CHAT, MessageId(1), quietly)
    with pytest.raises(CheckpointError, match="undone"):
        await points.restore(CHAT, None, quietly)
    assert (root / "main.py").read_text() == "changed\n"


async def test_before_the_first_checkpoint_there_is_nothing_to_restore(points: LocalCheckpoints) -> None:
    assert await kept(points) == []
    with pytest.raises(CheckpointError, match="yet"):
        await points.restore(CHAT, MessageId(1), quietly)


async def test_only_so_many_are_kept(root: Path) -> None:
    points = points_of(root, Bounds(kept_max=3))
    for message in range(1, 6):
        await points.take(CHAT, MessageId(message))

    assert await kept(points) == [3, 4, 5]


async def test_strange_names_come_back_too(root: Path, points: LocalCheckpoints) -> None:
    names = ["two\nlines", "tab\there", "-rf", "ünï", ":(top)x", os.fsdecode(b"bad-\xff")]
    for name in names:
        (root / name).write_text(name.encode(errors="replace").decode())
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    for name in names:
        (root / name).unlink()

    await points.restore(CHAT, MessageId(2), quietly)

    assert files_of(root) == before


async def test_permissions_come_back_with_the_files_and_without_them(
    root: Path, points: LocalCheckpoints
) -> None:
    (root / "private").mkdir(mode=0o700)
    for name, mode in {"private/key": 0o600, "read-only": 0o444, "shared": 0o664, "run": 0o750}.items():
        (root / name).write_text(name)
        (root / name).chmod(mode)
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    # One is removed with its directory, one is changed, and two get other permissions only.
    (root / "private" / "key").unlink()
    (root / "private").rmdir()
    (root / "read-only").unlink()
    (root / "read-only").write_text("changed")
    (root / "shared").chmod(0o600)
    (root / "run").chmod(0o777)

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert files_of(root) == before
    assert ChangedFile(path="shared", deed=Deed.CHANGED) in restored.files


async def test_a_directory_gets_its_permissions_back(root: Path, points: LocalCheckpoints) -> None:
    (root / "open").mkdir(mode=0o755)
    (root / "closed").mkdir(mode=0o700)
    for folder in ("open", "closed"):
        (root / folder / "file").write_text("x")
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    (root / "open").chmod(0o500)
    (root / "closed").chmod(0o777)

    await points.restore(CHAT, MessageId(2), quietly)

    assert files_of(root) == before


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ("* text eol=crlf", b"one\r\ntwo\nthree\r\n"),
        ("* text=auto", b"one\r\ntwo\r\n"),
        ("* ident", b"$Id: somebody else wrote this $\n"),
        ("* working-tree-encoding=UTF-16", "wide \u20ac\n".encode("utf-16")),
        ("* working-tree-encoding=UTF-16", b"not utf-16 at all"),
    ],
)
async def test_every_byte_comes_back_whatever_gitattributes_say(
    root: Path, points: LocalCheckpoints, attributes: str, content: bytes
) -> None:
    (root / ".gitattributes").write_text(attributes + "\n")
    (root / "data.txt").write_bytes(content)
    await points.take(CHAT, MessageId(2))
    (root / "data.txt").write_bytes(b"changed")

    await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "data.txt").read_bytes() == content


async def test_a_directory_where_a_file_was_makes_room_and_the_other_way_round(
    root: Path, points: LocalCheckpoints
) -> None:
    (root / "was-file").write_text("file")
    (root / "was-folder").mkdir()
    (root / "was-folder" / "inside").write_text("inside")
    before = files_of(root)
    await points.take(CHAT, MessageId(2))
    (root / "was-file").unlink()
    (root / "was-file" / "deep").mkdir(parents=True)
    (root / "was-file" / "deep" / "new").write_text("new")
    (root / "was-folder" / "inside").unlink()
    (root / "was-folder").rmdir()
    (root / "was-folder").write_text("now a file")
    after = files_of(root)

    await points.restore(CHAT, MessageId(2), quietly)
    assert files_of(root) == before
    await points.restore(CHAT, None, quietly)
    assert files_of(root) == after


async def test_what_is_not_kept_is_never_overwritten(root: Path) -> None:
    """A directory with ignored files stands where a file was, and a file has become too large to keep."""
    points = points_of(root, Bounds(file_bytes_max=100))
    (root / "report").write_text("report")
    (root / "small").write_text("small")
    await points.take(CHAT, MessageId(2))
    (root / "report").unlink()
    (root / "report").mkdir()
    (root / "report" / "today.log").write_text("ignored by git")
    (root / "small").write_text("x" * 200)
    (root / "main.py").write_text("changed")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "report" / "today.log").read_text() == "ignored by git"
    assert (root / "small").read_text() == "x" * 200
    assert (root / "main.py").read_text() == "print('one')\n"
    assert {file.path for file in restored.failed} == {"report", "small"}
    assert [file.path for file in restored.files] == ["main.py"]


async def test_a_file_that_was_ignored_before_is_not_removed(root: Path, points: LocalCheckpoints) -> None:
    (root / "build").mkdir()
    (root / "build" / "out").write_text("built by the user")
    await points.take(CHAT, MessageId(2))
    (root / ".gitignore").write_text("nothing\n")
    (root / "new.txt").write_text("by the agent")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "build" / "out").read_text() == "built by the user"
    assert not (root / "new.txt").exists()
    assert [file.path for file in restored.failed] == ["build/out"]


async def test_a_large_file_that_was_there_before_is_not_removed_when_it_has_shrunk(root: Path) -> None:
    points = points_of(root, Bounds(file_bytes_max=100))
    (root / "large.bin").write_text("x" * 200)
    await points.take(CHAT, MessageId(2))
    (root / "large.bin").write_text("short")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "large.bin").read_text() == "short"
    assert [file.path for file in restored.failed] == ["large.bin"]


def make_inner(place: Path) -> Path:
    place.mkdir(parents=True)
    git(place, "init", "--quiet")
    (place / ".gitignore").write_text("*.o\n")
    (place / "lib.c").write_text("int x;\n")
    (place / "lib.o").write_text("object")
    return place


async def test_files_of_repositories_inside_come_back_and_their_own_git_is_not_touched(
    root: Path, points: LocalCheckpoints
) -> None:
    inner = make_inner(root / "vendor" / "inner")
    deeper = make_inner(inner / "third")
    await points.take(CHAT, MessageId(2))
    before = files_of(root)
    for number in (3, 4):
        (inner / "lib.c").write_text(f"int y{number};\n")
        (inner / f"new{number}.c").write_text("int z;\n")
        (deeper / "lib.c").unlink(missing_ok=True)
        await points.take(CHAT, MessageId(number))
    git(inner, "add", "lib.c")
    own = [users_repository(place) for place in (inner, deeper)]

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert files_of(root) == before
    assert restored.failed == ()
    assert [users_repository(place) for place in (inner, deeper)] == own


async def test_what_is_ignored_in_a_repository_inside_or_above_it_is_not_kept(
    root: Path, points: LocalCheckpoints
) -> None:
    inner = make_inner(root / "inner")
    (inner / "a.log").write_text("ignored by the one above")
    await points.take(CHAT, MessageId(2))
    (inner / "a.log").write_text("changed")
    (inner / "lib.o").write_text("changed")

    assert (await points.restore(CHAT, MessageId(2), quietly)).files == ()


async def test_a_repository_that_was_made_since_is_left_as_it_is_and_named(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(CHAT, MessageId(2))
    inner = make_inner(root / "cloned")
    (root / "main.py").write_text("changed")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (inner / "lib.c").exists()
    assert [file.path for file in restored.failed] == ["cloned/"]
    assert [file.path for file in restored.files] == ["main.py"]


@pytest.mark.parametrize("bounds", [Bounds(files_max=3), Bounds(new_bytes_max=60)])
async def test_a_repository_inside_for_which_there_is_no_room_is_left_alone(
    root: Path, bounds: Bounds
) -> None:
    inner = make_inner(root / "inner")
    (inner / "more.c").write_text("int more;\n" * 3)
    points = points_of(root, bounds)
    await points.take(CHAT, MessageId(2))
    (inner / "lib.c").write_text("int y;\n")
    (root / "main.py").write_text("changed")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (inner / "lib.c").read_text() == "int y;\n"
    assert [file.path for file in restored.files] == ["main.py"]


async def test_a_file_that_is_under_version_control_although_it_is_ignored_comes_back(
    root: Path, points: LocalCheckpoints
) -> None:
    (root / "kept.log").write_text("as it was")
    git(root, "add", "--force", "kept.log")
    before = users_repository(root)
    await points.take(CHAT, MessageId(2))
    (root / "kept.log").write_text("changed")

    await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "kept.log").read_text() == "as it was"
    assert users_repository(root) == before


async def test_an_ignored_file_that_is_put_under_version_control_meanwhile_is_not_removed(
    root: Path, points: LocalCheckpoints
) -> None:
    (root / "mine.log").write_text("mine")
    await points.take(CHAT, MessageId(2))
    git(root, "add", "--force", "mine.log")
    (root / "main.py").write_text("changed")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert (root / "mine.log").read_text() == "mine"
    assert [file.path for file in restored.failed] == ["mine.log"]


@pytest.mark.parametrize("index", [b"", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"no index at all"])
async def test_an_index_that_cannot_be_read_is_left_at_that(
    root: Path, points: LocalCheckpoints, index: bytes
) -> None:
    (root / ".git" / "index").write_bytes(index)
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed")

    restored = await points.restore(CHAT, MessageId(2), quietly)

    assert [file.path for file in restored.files] == ["main.py"]
    assert (root / ".git" / "index").read_bytes() == index


async def test_a_plan_tells_what_a_restore_would_do_and_does_nothing(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")

    planned = await points.plan(CHAT, MessageId(2))

    assert (root / "main.py").read_text() == "changed\n"
    assert not (await points.kept(CHAT)).can_undo
    assert planned == await points.restore(CHAT, MessageId(2), quietly)


async def test_what_is_about_to_be_done_is_told_before_a_file_is_touched(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")
    told = []

    async def announce(restored: Restored) -> None:
        told.append((restored.files, (root / "main.py").read_text()))

    await points.restore(CHAT, MessageId(2), announce)
    await points.restore(CHAT, MessageId(2), announce)

    assert told == [((ChangedFile(path="main.py", deed=Deed.CHANGED),), "changed\n")]


async def test_nothing_is_done_if_it_cannot_be_told(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")

    async def announce(_: Restored) -> None:
        raise NotAllowed("busy", "The agent is at work.")

    with pytest.raises(NotAllowed):
        await points.restore(CHAT, MessageId(2), announce)

    assert (root / "main.py").read_text() == "changed\n"
    assert (await points.kept(CHAT)) == Kept(checkpoints=(await points.kept(CHAT)).checkpoints)


async def test_a_restore_that_is_repeated_can_still_be_undone(root: Path, points: LocalCheckpoints) -> None:
    """The answer to the first request was lost, and the client asks again."""
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("by the agent\n")
    await points.restore(CHAT, MessageId(2), quietly)
    await points.restore(CHAT, MessageId(2), quietly)

    await points.restore(CHAT, None, quietly)

    assert (root / "main.py").read_text() == "by the agent\n"


async def test_an_undo_can_be_undone(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("by the agent\n")
    await points.restore(CHAT, MessageId(2), quietly)
    await points.restore(CHAT, None, quietly)

    await points.restore(CHAT, None, quietly)

    assert (root / "main.py").read_text() == "print('one')\n"


async def test_of_two_restores_at_once_one_waits_for_the_other(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("after the first\n")
    await points.take(CHAT, MessageId(4))
    (root / "main.py").write_text("after the second\n")
    told: list[str] = []

    async def restore(message_id: int) -> None:
        async def announce(_: Restored) -> None:
            told.append(f"{message_id} begins")
            # Whoever could begin meanwhile has the chance to.
            await asyncio.sleep(0.05)
            told.append(f"{message_id} goes on")

        await points.restore(CHAT, MessageId(message_id), announce)

    async with asyncio.TaskGroup() as group:
        group.create_task(restore(1))
        group.create_task(restore(3))

    assert told == ["1 begins", "1 goes on", "3 begins", "3 goes on"]
    assert (root / "main.py").read_text() == "after the first\n"


async def test_agents_wait_while_a_restore_is_under_way(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")
    seen: list[str] = []

    async def agent() -> None:
        await points.settled()
        seen.append((root / "main.py").read_text())

    async with asyncio.TaskGroup() as group:

        async def announce(_: Restored) -> None:
            group.create_task(agent())
            await asyncio.sleep(0.05)

        await points.restore(CHAT, MessageId(2), announce)

    assert seen == ["print('one')\n"]


async def test_a_root_that_is_gone_is_told_and_one_that_is_made_again_is_filled(
    root: Path, points: LocalCheckpoints
) -> None:
    await points.take(CHAT, MessageId(2))
    shutil.rmtree(root)

    with pytest.raises(CheckpointError, match="does not exist"):
        await points.restore(CHAT, MessageId(2), quietly)

    root.mkdir()
    await points.restore(CHAT, MessageId(2), quietly)
    assert (root / "main.py").read_text() == "print('one')\n"


async def test_a_diff_may_be_of_one_file(root: Path, points: LocalCheckpoints) -> None:
    (root / "other.py").write_text("one\n")
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("two\n")
    (root / "other.py").write_text("two\n")

    diff = await points.diff(CHAT, MessageId(1), None, "other.py")

    assert [file.path for file in diff.files] == ["other.py"]
    assert "other.py" in diff.text
    assert "main.py" not in diff.text


async def test_a_step_does_not_wait_for_ever_and_the_next_ones_do_not_wait_again(root: Path) -> None:
    clock = Clock()
    points = points_of(root, Bounds(take_seconds_max=0, slow_seconds=0), clock)
    with pytest.raises(CheckpointError, match="longer than 0 seconds"):
        await points.take(CHAT, MessageId(2))
    with pytest.raises(CheckpointError, match="The last attempt took too long"):
        await points.take(CHAT, MessageId(4))

    clock.ahead_seconds = BOUNDS.pause_seconds
    with pytest.raises(CheckpointError, match="longer than 0 seconds"):
        await points.take(CHAT, MessageId(6))


async def test_only_a_few_callers_may_wait_for_a_repository(root: Path, points: LocalCheckpoints) -> None:
    await points.take(CHAT, MessageId(2))
    (root / "main.py").write_text("changed\n")

    async def announce(_: Restored) -> None:
        async with asyncio.TaskGroup() as group:
            looks = [
                group.create_task(outcome_of(points.plan(CHAT, MessageId(2))))
                for _ in range(BOUNDS.waiting_max)
            ]
            await asyncio.wait(looks, return_when=asyncio.FIRST_COMPLETED)
            refused.extend(look.result() for look in looks if look.done())
            for look in looks:
                look.cancel()

    refused: list[str] = []
    await points.restore(CHAT, MessageId(2), announce)

    assert len(refused) == 1
    assert "Try again in a moment" in refused[0]


async def outcome_of(look: Awaitable[Restored]) -> str:
    try:
        return str(await look)
    except CheckpointError as error:
        return str(error)


async def test_the_oldest_checkpoints_make_room_for_new_ones(root: Path) -> None:
    points = points_of(root, Bounds(repository_bytes_max=3_000_000))
    for message in range(1, 13):
        (root / "noise.bin").write_bytes(os.urandom(500_000))
        await points.take(CHAT, MessageId(message))

    left = await kept(points)

    assert left[-1] == 12
    assert 2 <= len(left) < 7
    assert directory_size(root) < 4_000_000


async def test_looking_does_not_fill_the_disk(root: Path) -> None:
    """Each look at the changes up to now leaves objects behind that nothing needs afterwards."""
    points = points_of(root, Bounds(repository_bytes_max=3_000_000))
    await points.take(CHAT, MessageId(2))
    for _ in range(12):
        (root / "noise.bin").write_bytes(os.urandom(500_000))
        await points.diff(CHAT, MessageId(2), None)

    assert directory_size(root) < 4_000_000
    assert await kept(points) == [2]


async def test_a_checkpoint_that_is_too_large_by_itself_leaves_nothing(root: Path) -> None:
    points = points_of(root, Bounds(repository_bytes_max=1_000_000))
    (root / "noise.bin").write_bytes(os.urandom(2_000_000))

    with pytest.raises(CheckpointError, match="takes more than"):
        await points.take(CHAT, MessageId(2))

    assert await kept(points) == []
    assert directory_size(root) < 500_000


def directory_size(root: Path) -> int:
    return sum(path.stat().st_size for path in directory_of(root).rglob("*") if path.is_file())
