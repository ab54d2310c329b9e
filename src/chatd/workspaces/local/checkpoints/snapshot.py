"""The files of a workspace as they are now, as a tree in our repository.

What is kept is what git would take: not what a `.gitignore` excludes, unless the user has it under version
control, nor what is too large or cannot be read. Of a repository inside of the workspace, the files are kept.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from msgspec import Struct

from chatd.workspaces.local.checkpoints.bounds import MIB, Bounds
from chatd.workspaces.local.checkpoints.git import Git, GitError, TooLong, lines, words
from chatd.workspaces.local.checkpoints.inner import look_inside, tracked_though_ignored
from chatd.workspaces.local.checkpoints.manifest import Manifest, decode, encode, manifest_of
from chatd.workspaces.local.checkpoints.repository import Repository

# What git learns in one go. If time is over after some of them, the next attempt goes on from there.
_BATCH_FILES = 5000
_BATCH_BYTES = 64 * 1024 * 1024
# The caller may be gone; asked after so many files.
_ASKED_FILES = 1000

_LIST = (
    "ls-files", "-z", "-t", "--cached", "--modified", "--deleted", "--others", "--exclude-standard",
)  # fmt: skip
_CACHED, _OTHER = "H", "?"


class Listed(Struct, frozen=True):
    """The files as git lists them: known from before, new or changed since, and repositories."""

    known: tuple[str, ...]
    touched: tuple[str, ...]
    repositories: tuple[str, ...]


class Snapshot(Struct, frozen=True):
    tree: str
    # At most as much was added to the repository.
    new_bytes: int


def take_snapshot(git: Git, repository: Repository, root: Path, bounds: Bounds) -> Snapshot:
    """Raises GitError."""
    here = os.open(root, os.O_DIRECTORY | os.O_RDONLY | os.O_CLOEXEC)
    try:
        listed = _list(git, repository, root)
        found = dict(_look(git, here, (*listed.known, *listed.touched)))
        kept = dict(_keepable(here, root, listed.touched, found, bounds.file_bytes_max))
        gone = set(listed.touched) - kept.keys()
        inner, left_alone = look_inside(git, repository, root, listed.repositories)
        room = _Room(
            bounds.files_max - len(listed.known) - len(kept), bounds.new_bytes_max - sum(kept.values())
        )
        for each in inner:
            stats = dict(_look(git, here, each.files))
            sizes = dict(_keepable(here, root, each.files, stats, bounds.file_bytes_max))
            if room.take(len(sizes), sum(sizes.values())):
                found |= stats
                kept |= sizes
            else:
                left_alone.append(each.place)
        files = {path: None for path in (*listed.known, *kept) if path not in gone}
        _check_bounds(bounds, len(files), sum(kept.values()))
        _learn(git, gone=[path for path in listed.known if path in gone], kept=kept)
        tree = git("write-tree").decode().strip()
        stats = {path: found[path] for path in files if path in found}
        folders = _folders_of(files)
        stats |= _look(git, here, folders)
        repositories = [path for path, _ in _look(git, here, (f"{each}/.git" for each in folders))]
    finally:
        os.close(here)
    # A directory may stand where a file was; what it holds is listed by itself.
    left = [path for path in gone if path in found and not S_ISDIR(found[path].st_mode)]
    manifest = encode(
        manifest_of(stats, [*left, *left_alone], [path.removesuffix(".git") for path in repositories])
    )
    entries = {"files": ("40000", tree), "manifest": ("100644", repository.write_blob(manifest))}
    return Snapshot(repository.write_tree(entries), sum(kept.values()) + len(manifest))


def manifest_in(git: Git, tree: str) -> Manifest:
    return decode(git("cat-file", "blob", f"{tree}:manifest"))


class _Room(Struct):
    """For files of repositories inside of the workspace: they come after its own, and as far as they fit."""

    files: int
    new_bytes: int

    def take(self, files: int, new_bytes: int) -> bool:
        if files > self.files or new_bytes > self.new_bytes:
            return False
        self.files -= files
        self.new_bytes -= new_bytes
        return True


def _list(git: Git, repository: Repository, root: Path) -> Listed:
    try:
        printed = git(*_LIST)
    except TooLong:
        raise
    except GitError:
        # The index is only a memory of what was read before. One that is damaged is made anew.
        repository.forget_index()
        printed = git(*_LIST)
    known: dict[str, None] = {}
    touched: dict[str, None] = {}
    repositories = []
    for word in words(printed):
        tag, _, path = word.partition(" ")
        if tag == _CACHED:
            known[path] = None
        elif tag == _OTHER and path.endswith("/"):
            repositories.append(path)
        else:
            touched[path] = None
    touched |= {path: None for path in tracked_though_ignored(git, root) if path not in known}
    return Listed(tuple(known), tuple(touched), tuple(repositories))


def _look(git: Git, here: int, paths: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    for count, path in enumerate(paths):
        if count % _ASKED_FILES == 0:
            git.stop.check()
        with suppress(OSError):
            yield path, os.stat(path, dir_fd=here, follow_symlinks=False)


def _keepable(
    here: int,
    root: Path,
    paths: Sequence[str],
    found: Mapping[str, os.stat_result],
    file_bytes_max: int,
) -> Iterator[tuple[str, int]]:
    """Files and links that git can take, with their sizes. None is behind a symbolic link."""
    real: dict[str, bool] = {}
    for path in paths:
        stat = found.get(path)
        # Git takes no file under a name that some system could read as `.git`.
        if stat is None or ".git" in path.lower().split("/"):
            continue
        folder = path.rpartition("/")[0]
        if folder not in real:
            real[folder] = os.path.realpath(root / folder) == str(root / folder)
        if not real[folder] or stat.st_size > file_bytes_max:
            continue
        if S_ISLNK(stat.st_mode) or (
            S_ISREG(stat.st_mode) and os.access(path, os.R_OK, dir_fd=here, effective_ids=True)
        ):
            yield path, stat.st_size


def _check_bounds(bounds: Bounds, files: int, new_bytes: int) -> None:
    advice = "A `.gitignore` can leave out what need not be kept."
    if files > bounds.files_max:
        raise GitError(f"the workspace has more than {bounds.files_max:,} files. {advice}")
    if new_bytes > bounds.new_bytes_max:
        new, most = new_bytes // MIB, bounds.new_bytes_max // MIB
        raise GitError(f"{new} MiB in it are new, and at most {most} MiB are kept at once. {advice}")


def _learn(git: Git, *, gone: Sequence[str], kept: Mapping[str, int]) -> None:
    """Removed first: where a file was, there may be a directory now."""
    if gone:
        git("update-index", "--force-remove", "-z", "--stdin", given=lines(gone))
    for batch in _batches(kept):
        # What has vanished since is no error: it is removed.
        git("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=lines(batch))


def _batches(kept: Mapping[str, int]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path, file_bytes in kept.items():
        if batch and (len(batch) >= _BATCH_FILES or size + file_bytes > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += file_bytes
    if batch:
        yield batch


def _folders_of(files: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders
