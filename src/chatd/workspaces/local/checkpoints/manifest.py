"""What git does not keep of a tree: permissions, and which paths were there and are not kept (pure)."""

import os
from collections.abc import Iterable, Mapping
from stat import S_IMODE, S_ISDIR, S_ISLNK

import msgspec
from msgspec import Struct
from msgspec.structs import replace

_FILE, _EXECUTABLE, _DIRECTORY = 0o644, 0o755, 0o755
_OWNER_EXECUTES = 0o100
# No set-user-ID: what is brought back runs with no rights but the caller's.
_PERMISSIONS = 0o777


class Manifest(Struct, frozen=True):
    # Only where they are not the usual ones. A directory ends with a slash.
    modes: dict[bytes, int] = {}
    # Too large, not readable, or a repository of its own; that one ends with a slash.
    not_kept: tuple[bytes, ...] = ()
    # Repositories inside of the workspace whose files are kept; each ends with a slash.
    repositories: tuple[bytes, ...] = ()

    def mode_of(self, path: str, *, executable: bool) -> int:
        return self.modes.get(os.fsencode(path), usual_mode(executable=executable))

    def mode_of_directory(self, path: str) -> int:
        return self.modes.get(os.fsencode(path) + b"/", _DIRECTORY)


def usual_mode(*, executable: bool) -> int:
    return _EXECUTABLE if executable else _FILE


def manifest_of(
    found: Mapping[str, os.stat_result], not_kept: Iterable[str], repositories: Iterable[str] = ()
) -> Manifest:
    """`found` are the kept files and the directories they are in."""
    modes = {}
    for path, stat in found.items():
        if S_ISLNK(stat.st_mode):
            continue
        mode = S_IMODE(stat.st_mode) & _PERMISSIONS
        if S_ISDIR(stat.st_mode):
            if mode != _DIRECTORY:
                modes[os.fsencode(path) + b"/"] = mode
        elif mode != usual_mode(executable=bool(mode & _OWNER_EXECUTES)):
            modes[os.fsencode(path)] = mode
    return Manifest(
        modes, tuple(sorted(map(os.fsencode, not_kept))), tuple(sorted(map(os.fsencode, repositories)))
    )


def changed_modes(before: Manifest, after: Manifest) -> dict[str, int]:
    """The paths whose permissions differ, with those of `after`.

    Of files that differ in nothing else: whether they can be executed is the same in both.
    """
    changed = {}
    for path in before.modes.keys() | after.modes.keys():
        mode = after.modes.get(path)
        if mode == before.modes.get(path):
            continue
        if mode is None:
            is_directory = path.endswith(b"/")
            executable = bool(before.modes[path] & _OWNER_EXECUTES)
            mode = _DIRECTORY if is_directory else usual_mode(executable=executable)
        changed[os.fsdecode(path)] = mode
    return changed


class NotKept:
    """Asks whether a path was there without being kept."""

    def __init__(self, manifest: Manifest) -> None:
        self._files = {path for path in manifest.not_kept if not path.endswith(b"/")}
        self.folders = {path for path in manifest.not_kept if path.endswith(b"/")}

    def __contains__(self, path: str) -> bool:
        name = os.fsencode(path)
        if name in self._files:
            return True
        above = [name[: place + 1] for place, byte in enumerate(name) if byte == ord("/")]
        return any(folder in self.folders for folder in above)


def encode(manifest: Manifest) -> bytes:
    return msgspec.msgpack.encode(replace(manifest, modes=dict(sorted(manifest.modes.items()))))


def decode(data: bytes) -> Manifest:
    return msgspec.msgpack.decode(data, type=Manifest)
