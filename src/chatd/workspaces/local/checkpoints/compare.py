"""How two trees differ: which files, and in which lines."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.workspaces.checkpoints import LISTED_FILES_MAX, ChangedFile, Deed
from chatd.workspaces.local.checkpoints.git import Git, TooLong, words
from chatd.workspaces.local.checkpoints.manifest import changed_modes
from chatd.workspaces.local.checkpoints.snapshot import manifest_in

_DEEDS = {"A": Deed.ADDED, "D": Deed.REMOVED}
LINK, EXECUTABLE, REGULAR = "120000", "100755", "100644"


class Difference(Struct, frozen=True):
    """One file: what it becomes, and which object has its content then."""

    path: str
    deed: Deed
    # As git has them. Of a file that is removed both say nothing.
    git_mode: str
    blob: str
    blob_before: str


def differences(git: Git, before: str, after: str) -> tuple[Difference, ...]:
    printed = words(
        git(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
            f"{before}:files", f"{after}:files",
        )
    )  # fmt: skip
    return tuple(_difference(about, path) for about, path in zip(printed[::2], printed[1::2], strict=True))


def _difference(about: str, path: str) -> Difference:
    _, git_mode, blob_before, blob, status = about.split(" ")
    return Difference(path, _DEEDS.get(status, Deed.CHANGED), git_mode, blob, blob_before)


def mode_differences(git: Git, before: str, after: str, others: Sequence[Difference]) -> dict[str, int]:
    """Files and directories (with a slash) of both trees that differ only in their permissions.

    With those of `after`. `others` are the files that differ in more.
    """
    changed = changed_modes(manifest_in(git, before), manifest_in(git, after))
    apart = {other.path for other in others}
    # A directory that is made or removed is among these too; whether it is there is seen when it is set.
    return {path: mode for path, mode in changed.items() if path not in apart}


def diff_text(git: Git, before: str, after: str, *, path: str | None, bytes_max: int) -> str | None:
    """A unified diff. None: it is too long."""
    only = ("--", path) if path is not None else ()
    try:
        printed = git(
            "diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
            f"{before}:files", f"{after}:files", *only,
            bytes_max=bytes_max,
        )  # fmt: skip
    except TooLong:
        return None
    return printed.decode(errors="replace")


def listed(found: Sequence[Difference]) -> tuple[tuple[ChangedFile, ...], int]:
    """The first of them, and how many more there are."""
    files = tuple(ChangedFile(path=each.path, deed=each.deed) for each in found[:LISTED_FILES_MAX])
    return files, len(found) - len(files)
