"""Attempts of an agent to have the server run something, read or write outside of the workspace, or exhaust
it, when files are kept and brought back.

The agent can do what it likes in its workspace. Nothing of this may have an effect beyond it.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chatd.domain.ids import MessageId
from chatd.workspaces.checkpoints import CheckpointError, Restored
from chatd.workspaces.local.checkpoints.bounds import MIB, Bounds
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from tests.workspaces.local.checkpoints.project import (
    CHAT,
    directory_of,
    files_of,
    git,
    make_project,
    points_of,
    quietly,
)

SECRET = "the token of the administrator\n"


class Scene:
    """A project, checkpoints of it, a secret outside, and a file that exists once a program has run."""

    def __init__(self, path: Path) -> None:
        self.root = make_project(path / "project")
        self.points: LocalCheckpoints = points_of(self.root)
        self.outside = path / "outside"
        self.outside.mkdir()
        self.secret = self.outside / "secret"
        self.secret.write_text(SECRET)
        self.witness = path / "ran"
        self.program = path / "program"
        self.program.write_text(f"#!/bin/sh\ntouch {self.witness}\ncat\n")
        self.program.chmod(0o755)

    async def keep_change_and_restore(self, change: Callable[[], object] = lambda: None) -> Restored:
        """Everything that the server does with checkpoints."""
        await self.points.take(CHAT, MessageId(2))
        (self.root / "main.py").write_text("changed\n")
        change()
        await self.points.diff(CHAT, MessageId(2), None)
        restored = await self.points.restore(CHAT, MessageId(2), quietly)
        await self.points.restore(CHAT, None, quietly)
        await self.points.restore(CHAT, MessageId(2), quietly)
        return restored

    def check_nothing_happened(self) -> None:
        assert not self.witness.exists()
        assert {path.name for path in self.outside.iterdir()} == {"secret"}
        assert self.secret.read_text() == SECRET
        assert (self.root / "main.py").read_text() == "print('one')\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def hooks(scene: Scene) -> None:
    folder = scene.root / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        (folder / name).symlink_to(scene.program)


def hooks_path(scene: Scene) -> None:
    hooks(scene)
    git(scene.root, "config", "core.hooksPath", str(scene.root / ".git" / "hooks"))


def filters(scene: Scene) -> None:
    for key in ("clean", "smudge", "process"):
        git(scene.root, "config", f"filter.evil.{key}", str(scene.program))
    (scene.root / ".gitattributes").write_text("* filter=evil\n")


def text_converters(scene: Scene) -> None:
    git(scene.root, "config", "diff.evil.textconv", str(scene.program))
    git(scene.root, "config", "diff.evil.command", str(scene.program))
    git(scene.root, "config", "diff.external", str(scene.program))
    (scene.root / ".gitattributes").write_text("* diff=evil\n")


def merge_drivers(scene: Scene) -> None:
    git(scene.root, "config", "merge.evil.driver", str(scene.program))
    (scene.root / ".gitattributes").write_text("* merge=evil\n")


def file_system_monitor(scene: Scene) -> None:
    git(scene.root, "config", "core.fsmonitor", str(scene.program))


def ssh_command_and_editor(scene: Scene) -> None:
    for key in (
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "core.askPass",
        "gpg.program",
        "core.gitProxy",
    ):
        git(scene.root, "config", key, str(scene.program))
    git(scene.root, "config", "commit.gpgSign", "true")


def aliases(scene: Scene) -> None:
    for command in ("ls-files", "update-index", "write-tree", "diff-tree", "cat-file", "prune"):
        git(scene.root, "config", f"alias.{command}", f"!{scene.program}")


def an_included_configuration(scene: Scene) -> None:
    (scene.root / "evil.config").write_text(f"[core]\n\tfsmonitor = {scene.program}\n")
    git(scene.root, "config", "include.path", str(scene.root / "evil.config"))


def a_configuration_in_the_workspace(scene: Scene) -> None:
    """As if the workspace were the home, or the repository, of the server."""
    for name in (".gitconfig", "config", ".config/git/config", "info/attributes"):
        file = scene.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"[core]\n\tfsmonitor = {scene.program}\n[alias]\n\tls-files = !{scene.program}\n")


def a_git_file_that_points_elsewhere(scene: Scene) -> None:
    elsewhere = scene.root / "elsewhere"
    (scene.root / ".git").rename(elsewhere)
    (scene.root / ".git").write_text(f"gitdir: {elsewhere}\n")
    (elsewhere / "config").write_text(
        f"[core]\n\tfsmonitor = {scene.program}\n\tworktree = {scene.outside}\n"
    )


def a_git_file_that_points_outside(scene: Scene) -> None:
    (scene.root / ".git").rename(scene.root / "was-git")
    (scene.root / ".git").write_text(f"gitdir: {scene.outside}\n")


def a_git_that_is_a_link(scene: Scene) -> None:
    (scene.root / ".git").rename(scene.root / "was-git")
    (scene.root / ".git").symlink_to(scene.outside)


def alternates(scene: Scene) -> None:
    """Objects of another repository."""
    info = scene.root / ".git" / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{scene.outside}\n")


def submodules(scene: Scene) -> None:
    (scene.root / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = sub\n\turl = ext::{scene.program}\n\tupdate = !{scene.program}\n'
    )
    (scene.root / "sub").mkdir()
    git(scene.root / "sub", "init", "--quiet")
    git(scene.root / "sub", "config", "core.fsmonitor", str(scene.program))


def rules_that_are_links(scene: Scene) -> None:
    (scene.root / ".gitignore").unlink()
    (scene.root / ".gitignore").symlink_to(scene.secret)
    (scene.root / ".gitattributes").symlink_to(scene.secret)


def a_lock_of_the_users_index(scene: Scene) -> None:
    (scene.root / ".git" / "index.lock").write_text("locked")


def names_that_git_refuses(scene: Scene) -> None:
    for name in (
        ".GIT/config",
        "sub/.Git",
        "git~1",
        "a\\b",
        ".git ",
        ".git.",
        "GIT~1/x",
        "con",
        ".git\u200c",
    ):
        file = scene.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")


def names_with_line_breaks_and_quotes(scene: Scene) -> None:
    for name in ("two\nlines", 'quo"te', "-rf", "--stdin", ":(top)x", ":!x", "*", os.fsdecode(b"\xff\xfe")):
        (scene.root / name).write_text(SECRET)


def names_that_differ_in_case_only(scene: Scene) -> None:
    (scene.root / "README").write_text("one")
    (scene.root / "readme").write_text("two")
    (scene.root / "Readme").mkdir()
    (scene.root / "Readme" / "file").write_text("three")


def long_and_deep_names(scene: Scene) -> None:
    folder = scene.root
    for _ in range(15):
        folder /= "d" * 200
    folder.mkdir(parents=True)
    (folder / ("n" * 255)).write_text("x")


def pipes_sockets_and_devices(scene: Scene) -> None:
    os.mkfifo(scene.root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(scene.root)
    try:
        listener.bind("socket")
    finally:
        os.chdir(here)
    listener.close()


def a_sparse_file_of_10_gigabytes(scene: Scene) -> None:
    with (scene.root / "sparse").open("wb") as file:
        file.truncate(10 * 1024**3)


def a_file_that_is_as_large_as_may_be(scene: Scene) -> None:
    with (scene.root / "sparse").open("wb") as file:
        file.truncate(16 * 1024**2)


def links_that_lead_out(scene: Scene) -> None:
    (scene.root / "link").symlink_to(scene.secret)
    (scene.root / "folder").symlink_to(scene.outside)
    (scene.root / "loop").symlink_to("loop")
    (scene.root / "proc").symlink_to("/proc/self")


def attributes_that_hide(scene: Scene) -> None:
    (scene.root / ".gitattributes").write_text("* -diff -text export-ignore binary\n")


def an_ignore_file_that_takes_long(scene: Scene) -> None:
    (scene.root / ".gitignore").write_text("".join(f"{'*a' * 20}{n}\n" for n in range(200)))
    (scene.root / ("a" * 100)).write_text("x")


BEFORE = [
    hooks,
    hooks_path,
    filters,
    text_converters,
    merge_drivers,
    file_system_monitor,
    ssh_command_and_editor,
    aliases,
    an_included_configuration,
    a_configuration_in_the_workspace,
    a_git_file_that_points_elsewhere,
    a_git_file_that_points_outside,
    a_git_that_is_a_link,
    alternates,
    submodules,
    rules_that_are_links,
    a_lock_of_the_users_index,
    names_that_git_refuses,
    names_with_line_breaks_and_quotes,
    names_that_differ_in_case_only,
    long_and_deep_names,
    pipes_sockets_and_devices,
    a_sparse_file_of_10_gigabytes,
    a_file_that_is_as_large_as_may_be,
    links_that_lead_out,
    attributes_that_hide,
    an_ignore_file_that_takes_long,
]


@pytest.mark.parametrize("attempt", BEFORE, ids=lambda attempt: attempt.__name__)
async def test_what_is_planted_before_a_checkpoint_has_no_effect(
    scene: Scene, attempt: Callable[[Scene], None]
) -> None:
    attempt(scene)
    before = files_of(scene.root)

    await scene.keep_change_and_restore()

    scene.check_nothing_happened()
    assert files_of(scene.root) == before


@pytest.mark.parametrize("attempt", BEFORE, ids=lambda attempt: attempt.__name__)
async def test_what_is_planted_in_the_step_has_no_effect(
    scene: Scene, attempt: Callable[[Scene], None]
) -> None:
    await scene.keep_change_and_restore(lambda: attempt(scene))

    scene.check_nothing_happened()


async def test_a_directory_that_became_a_link_is_no_way_out(scene: Scene) -> None:
    (scene.root / "sub").mkdir()
    (scene.root / "sub" / "secret").write_text("mine\n")
    (scene.root / "sub" / "new").write_text("mine\n")

    def exchange() -> None:
        for file in (scene.root / "sub").iterdir():
            file.unlink()
        (scene.root / "sub").rmdir()
        (scene.root / "sub").symlink_to(scene.outside)

    await scene.keep_change_and_restore(exchange)

    scene.check_nothing_happened()
    assert not (scene.root / "sub").is_symlink()
    assert (scene.root / "sub" / "secret").read_text() == "mine\n"


async def test_an_ignored_link_in_the_place_of_a_directory_is_not_followed(scene: Scene) -> None:
    """It is not kept, so it is not removed; and nothing is written through it."""
    (scene.root / "sub").mkdir()
    (scene.root / "sub" / "new").write_text("mine\n")
    await scene.points.take(CHAT, MessageId(2))
    (scene.root / "sub" / "new").unlink()
    (scene.root / "sub").rmdir()
    await scene.points.take(CHAT, MessageId(4))
    (scene.root / "sub").symlink_to(scene.outside)
    (scene.root / ".git" / "info").mkdir(exist_ok=True)
    (scene.root / ".gitignore").write_text("sub\nbuild/\n*.log\n")

    restored = await scene.points.restore(CHAT, MessageId(2), quietly)

    assert {path.name for path in scene.outside.iterdir()} == {"secret"}
    assert "sub/new" in {file.path for file in restored.failed}


@contextmanager
def flipping(first: Path, second: Path) -> Iterator[None]:
    """Two names that are exchanged for one another all the time, by another thread."""
    over = threading.Event()
    spare = first.with_name(f"{first.name}-spare")

    def flip() -> None:
        while not over.is_set():
            # What is put back or removed meanwhile may be missing.
            with suppress(OSError):
                first.rename(spare)
            with suppress(OSError):
                second.rename(first)
            with suppress(OSError):
                spare.rename(second)

    thread = threading.Thread(target=flip)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


async def test_directories_that_are_exchanged_while_files_are_put_back_lead_nowhere(scene: Scene) -> None:
    folder, link = scene.root / "folder", scene.root / "folder.log"
    folder.mkdir()
    for number in range(200):
        (folder / f"file-{number}").write_text("mine\n")
    await scene.points.take(CHAT, MessageId(2))
    for file in folder.iterdir():
        file.unlink()
    (folder / "stays").write_text("so that the directory does")
    link.symlink_to(scene.outside)

    with flipping(folder, link):
        for _ in range(5):
            try:
                await scene.points.restore(CHAT, MessageId(2), quietly)
                await scene.points.restore(CHAT, None, quietly)
            except CheckpointError:
                continue

    assert {path.name for path in scene.outside.iterdir()} == {"secret"}
    assert scene.secret.read_text() == SECRET


async def test_attributes_cannot_hide_a_change_from_its_diff(scene: Scene) -> None:
    await scene.points.take(CHAT, MessageId(2))
    attributes_that_hide(scene)
    (scene.root / "main.py").write_text("hidden\n")

    diff = await scene.points.diff(CHAT, MessageId(2), None)

    assert "+hidden" in diff.text


async def test_a_name_cannot_forge_a_line_of_a_diff(scene: Scene) -> None:
    await scene.points.take(CHAT, MessageId(2))
    forged = scene.root / "x\n--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-a\n+b"
    forged.parent.mkdir(parents=True)
    forged.write_text("x\n")

    diff = await scene.points.diff(CHAT, MessageId(2), None)

    assert len(diff.files) == 1
    assert "\n--- a/main.py\n" not in diff.text


async def test_too_many_files_are_refused_with_advice_before_any_is_read(scene: Scene) -> None:
    """The bound is 200,000; here it is 1,000, so that the test is quick."""
    for number in range(1001):
        (scene.root / f"file-{number}").touch()

    with pytest.raises(CheckpointError, match=r"more than 1,000 files.*\.gitignore"):
        await points_of(scene.root, Bounds(files_max=1000)).take(CHAT, MessageId(2))

    assert not any((directory_of(scene.root) / "objects").glob("??/*"))


async def test_much_new_content_is_refused_before_it_is_read(scene: Scene) -> None:
    for number in range(3):
        (scene.root / f"file-{number}").write_bytes(bytes(500_000))

    with pytest.raises(CheckpointError, match="MiB in it are new"):
        await points_of(scene.root, Bounds(new_bytes_max=MIB)).take(CHAT, MessageId(2))

    assert not any((directory_of(scene.root) / "objects").glob("??/*"))


async def test_what_is_left_of_the_disk_is_for_the_database(scene: Scene) -> None:
    with pytest.raises(CheckpointError, match="are free on the disk"):
        await points_of(scene.root, Bounds(free_bytes_min=2**62)).take(CHAT, MessageId(2))


async def test_our_repository_is_for_the_server_alone(scene: Scene) -> None:
    await scene.points.take(CHAT, MessageId(2))

    assert directory_of(scene.root).stat().st_mode & 0o077 == 0
