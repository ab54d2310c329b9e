"""Brings the files of a workspace back: what there is to do, and the doing of it.

Nothing is removed or overwritten that was not kept before: a restore can always be undone.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex

from msgspec import Struct

from chatd.workspaces.checkpoints import LISTED_FILES_MAX, ChangedFile, Deed, LeftFile, Restored
from chatd.workspaces.local.checkpoints.compare import (
    EXECUTABLE,
    LINK,
    REGULAR,
    Difference,
    differences,
    mode_differences,
)
from chatd.workspaces.local.checkpoints.git import Git, GitError, lines, words
from chatd.workspaces.local.checkpoints.manifest import Manifest, NotKept
from chatd.workspaces.local.checkpoints.put_back import Place
from chatd.workspaces.local.checkpoints.repository import RULES, Repository
from chatd.workspaces.local.checkpoints.snapshot import manifest_in

_RULES = ".gitignore"
_OWNER_WORKS = 0o700
# Named in one run of git.
_NAMES_AT_ONCE = 500
_CHUNK_BYTES = 1024 * 1024
_NO_MATCH = 1

WAS_NOT_KEPT = "It was there before and is not kept, so it is left as it is."
MADE_SINCE = "This repository was made since then, and is left as it is. Remove it, if you do not need it."
IN_THE_WAY = "Something that is not kept stands in its place. Move it away, and restore again."
NOT_A_DIRECTORY = "A directory on the way to it is a link or a file now."
_REASONS = {
    errno.EEXIST: IN_THE_WAY,
    errno.EISDIR: IN_THE_WAY,
    errno.ENOTEMPTY: IN_THE_WAY,
    errno.ELOOP: NOT_A_DIRECTORY,
    errno.ENOTDIR: NOT_A_DIRECTORY,
}


class Plan(Struct, frozen=True):
    """What makes the files of a workspace those of a tree."""

    files: tuple[Difference, ...]
    # Of files and directories (with a slash) that differ in nothing else.
    modes: Mapping[str, int]
    left: tuple[LeftFile, ...]
    manifest: Manifest

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.modes

    def only(self, path: str) -> "Plan":
        """Of this file, and nothing that is done to others."""
        return Plan(
            files=tuple(each for each in self.files if each.path == path),
            modes={each: mode for each, mode in self.modes.items() if each == path},
            left=tuple(each for each in self.left if each.path == path),
            manifest=self.manifest,
        )

    def described(self, failed: Sequence[LeftFile] = ()) -> Restored:
        left = {each.path for each in failed}
        changed = [ChangedFile(path=each.path, deed=each.deed) for each in self.files]
        changed += [ChangedFile(path=path.rstrip("/"), deed=Deed.CHANGED) for path in self.modes]
        done = sorted((each for each in changed if each.path not in left), key=lambda each: each.path)
        return Restored(
            files=tuple(done[:LISTED_FILES_MAX]),
            more_files=max(0, len(done) - LISTED_FILES_MAX),
            failed=(*self.left, *failed)[:LISTED_FILES_MAX],
        )


def make_plan(git: Git, repository: Repository, now: str, target: str) -> Plan:
    found = differences(git, now, target)
    manifest = manifest_in(git, target)
    not_kept = NotKept(manifest)
    removed = [each.path for each in found if each.deed is Deed.REMOVED]
    left = {path for path in removed if path in not_kept}
    if removed:
        left |= _ignored(git, repository, target, removed)
    made = NotKept(Manifest(not_kept=_made_repositories(manifest_in(git, now), manifest)))
    of_made = {path for path in removed if path in made}
    told = dict.fromkeys(left - of_made, WAS_NOT_KEPT)
    told |= dict.fromkeys(map(os.fsdecode, made.folders), MADE_SINCE)
    left |= of_made
    modes = mode_differences(git, now, target, found)
    folders = [path for path in modes if path.endswith("/")]
    there = _folders_in(git, target, folders)
    return Plan(
        files=tuple(each for each in found if each.path not in left),
        modes={path: mode for path, mode in modes.items() if not path.endswith("/") or path in there},
        left=tuple(LeftFile(path=path, reason=reason) for path, reason in sorted(told.items())),
        manifest=manifest,
    )


def _made_repositories(now: Manifest, before: Manifest) -> tuple[bytes, ...]:
    """Without their files they would be worth nothing, and what is in their `.git` is not kept."""
    there = (*before.repositories, *before.not_kept)
    return tuple(path for path in now.repositories if path not in there)


def is_half(git: Git, now: str, start: str, target: str) -> bool:
    """Whether the files are those of one tree, some of them replaced by those of another: a restore was cut
    off there, and nothing else has happened since.
    """
    return set(differences(git, start, now)) <= set(differences(git, start, target))


def perform(git: Git, root: Path, plan: Plan) -> list[LeftFile]:
    """Do it. What cannot be done is told, and the rest is done all the same."""
    place = Place(root, plan.manifest.mode_of_directory)
    failed: list[LeftFile] = []

    def attempt(path: str, deed: "partial[None]") -> None:
        git.stop.check()
        try:
            deed()
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, f"{error.strerror}.")
            failed.append(LeftFile(path=path.rstrip("/"), reason=reason))

    folders = {path: mode for path, mode in plan.modes.items() if path.endswith("/")}
    for path, mode in sorted(folders.items()):
        attempt(path, partial(place.set_mode, path, mode | _OWNER_WORKS))
    # Removed first: where a file was, there may be a directory now.
    for file in plan.files:
        if file.deed is Deed.REMOVED:
            attempt(file.path, partial(place.remove, file.path))
    put = [file for file in plan.files if file.git_mode in (LINK, EXECUTABLE, REGULAR)]
    for file, data in zip(put, _contents(git, [file.blob for file in put]), strict=True):
        attempt(file.path, _putting(place, plan, file, data))
    for path, mode in plan.modes.items():
        if path not in folders:
            attempt(path, partial(place.set_mode, path, mode))
    # The deepest first: one above may be closed to us afterwards.
    for path, mode in sorted((_made_folders(plan, put) | folders).items(), reverse=True):
        attempt(path, partial(place.set_mode, path, mode))
    return failed


def clean_up(git: Git, root: Path, start: str, target: str) -> None:
    """What a restore that was cut off has left beside the files."""
    place = Place(root, Manifest().mode_of_directory)
    for folder in {each.path.rpartition("/")[0] for each in differences(git, start, target)}:
        place.remove_scratch(folder)


def _putting(place: Place, plan: Plan, file: Difference, data: bytes) -> "partial[None]":
    replaces = file.deed is Deed.CHANGED
    if file.git_mode == LINK:
        return partial(place.put_link, file.path, os.fsdecode(data), replaces=replaces)
    mode = plan.manifest.mode_of(file.path, executable=file.git_mode == EXECUTABLE)
    return partial(place.put_file, file.path, data, mode, replaces=replaces)


def _made_folders(plan: Plan, put: Sequence[Difference]) -> dict[str, int]:
    """Directories that may have been made, with unusual permissions."""
    folders = {folder for file in put for folder in _above(file.path)}
    modes = {os.fsdecode(path): mode for path, mode in plan.manifest.modes.items() if path.endswith(b"/")}
    return {path: mode for path, mode in modes.items() if path.rstrip("/") in folders}


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _contents(git: Git, blobs: Sequence[str]) -> Iterator[bytes]:
    """What these objects hold, one after the other, from one run of git."""
    if not blobs:
        return
    with git.printing("cat-file", "--batch", "--buffer", given="\n".join([*blobs, ""]).encode()) as output:
        held = bytearray()

        def fill(count: int) -> None:
            while len(held) < count:
                if not (data := git.read(output, _CHUNK_BYTES)):
                    raise GitError("git cat-file ended early.")
                held.extend(data)

        for blob in blobs:
            while b"\n" not in held:
                fill(len(held) + 1)
            header, _, _ = held.partition(b"\n")
            name, kind, *size = header.decode().split(" ")
            if name != blob or kind != "blob" or not size:
                raise GitError(f"the object {blob} is missing or damaged.")
            start, end = len(header) + 1, len(header) + 1 + int(size[0])
            fill(end + 1)
            yield bytes(held[start:end])
            del held[: end + 1]


def _folders_in(git: Git, tree: str, folders: Sequence[str]) -> set[str]:
    """Those that have files in this tree, too. Only these get their permissions back."""
    found: set[str] = set()
    for first in range(0, len(folders), _NAMES_AT_ONCE):
        names = [path.rstrip("/") for path in folders[first : first + _NAMES_AT_ONCE]]
        printed = words(git("ls-tree", "-d", "-z", "--name-only", f"{tree}:files", "--", *names))
        found |= {f"{name}/" for name in printed}
    return found


def _ignored(git: Git, repository: Repository, tree: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that the rules of this tree ignore. Such files were never kept, and are not ours."""
    rules = [
        line.split("\t", 1)
        for line in words(git("ls-tree", "-r", "-z", f"{tree}:files"))
        if line.rpartition("/")[2].rpartition("\t")[2] == _RULES
    ]
    kept = [(path, about.split(" ")[2]) for about, path in rules if not about.startswith(LINK)]
    folder = repository.directory / f"{RULES}{token_hex(8)}"
    folder.mkdir(mode=0o700)
    try:
        place = Place(folder, Manifest().mode_of_directory)
        for (path, _), data in zip(kept, _contents(git, [blob for _, blob in kept]), strict=True):
            place.put_file(path, data, 0o600, replaces=False)
        # The dot: a name that begins with a colon is not for git to interpret.
        asked = lines([f"./{path}" for path in paths])
        printed = git(
            "check-ignore", "-z", "--no-index", "--stdin",
            given=asked, work_tree=folder, expected=(0, _NO_MATCH),
        )  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {path.removeprefix("./") for path in words(printed)}
