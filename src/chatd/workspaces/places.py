"""Where agents may work on this machine: in the directory that the administrator names, or inside of it."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from chatd.errors import BadInput, Misconfigured
from chatd.storage.data_dir.find import data_dir_around, data_dir_inside, is_data_dir

PATH_BYTES_MAX = 4096


class Places(Struct, frozen=True):
    """`root` is the real path of that directory. None: agents have no workspace here."""

    root: Path | None = None
    # Also when there are several users.
    shared: bool = False

    def named(self, path: str) -> Path:
        """The directory that a caller means: absolute, or seen from the root. Raises BadInput.

        What is a directory inside of the root now can be a way out of it later: the workspace itself opens
        nothing without looking (`local/`). This here is for a clear answer, and against honest mistakes.
        """
        root = self._root()
        if not path or "\0" in path or len(os.fsencode(path)) > PATH_BYTES_MAX:
            raise BadInput("bad_workspace", "`workspace` must be a path.", field="workspace")
        try:
            found = (root / path).resolve(strict=True)
            is_directory = found.is_dir()
        except (OSError, RuntimeError):
            found, is_directory = root, False
        # Another server may have begun to keep its data in there.
        if is_directory and found.is_relative_to(root) and data_dir_around(found) is None:
            return found
        raise BadInput(
            "bad_workspace",
            f"{path!r} is no directory inside of the workspace of this server.",
            field="workspace",
            hint="Name a directory inside of the one that `chatd serve --workspace` names.",
        )

    def _root(self) -> Path:
        if self.root is None:
            raise BadInput(
                "no_workspace",
                "This server has no workspace for agents.",
                field="workspace",
                hint="Start it with `chatd serve --workspace DIR`.",
            )
        return self.root


NOWHERE = Places()


def places_at(
    directory: Path | None,
    data_dir: Path,
    private: Sequence[Path] = (),
    *,
    usual_data_dir: Path | None = None,
    shared: bool = False,
) -> Places:
    """Raises Misconfigured when agents cannot, or must not, work in this directory.

    `private` are files of the server elsewhere: its settings, its database. `usual_data_dir` is where a
    server keeps its data that was not told another place.
    """
    if directory is None:
        return NOWHERE
    try:
        root, data = directory.resolve(strict=True), data_dir.resolve()
        usable = root.is_dir() and os.access(root, os.R_OK | os.W_OK | os.X_OK)
    except OSError as error:
        raise Misconfigured(f"The workspace {directory} cannot be used: {error.strerror}.") from error
    if not usable:
        raise Misconfigured(f"The workspace {directory} must be a directory that the server may write to.")
    if data.is_relative_to(root) or root.is_relative_to(data):
        raise Misconfigured(
            f"The workspace {directory} and the data directory {data_dir} are inside of one another. "
            "Agents could read the keys of the server there. Name another workspace, or another --data-dir."
        )
    if exposed := next((path for path in private if path.resolve().is_relative_to(root)), None):
        raise Misconfigured(
            f"{exposed} belongs to the server, and is inside of the workspace {directory}: agents could read "
            "and change it. Move it, or name another workspace."
        )
    if other := _other_data_dir(root, usual_data_dir):
        raise Misconfigured(
            f"The workspace {directory} and {other}, the data directory of another chatd server, are inside "
            "of one another. Agents could read the keys of that server there. Name another workspace. If "
            "that server is not used any more, remove its directory."
        )
    return Places(root, shared)


def _other_data_dir(root: Path, usual: Path | None) -> Path | None:
    if found := data_dir_around(root):
        return found
    if usual is not None and usual.resolve().is_relative_to(root) and is_data_dir(usual):
        return usual
    return data_dir_inside(root)
