"""The sandbox around commands: bubblewrap, and what it shows of the machine (pure but for looking at paths).

A command sees the machine read-only, with empty directories in place of homes, of sockets and of what the
server keeps. It can write to the workspace, and to a home and a /tmp that belong to the workspace.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path

from msgspec import Struct

from chatd.workspaces.local.git.run_by_git import NOTHING, RunByGit

# What keeps a command apart. Its parent's death is its own, so it cannot outlive a server that is killed.
APART: Sequence[str] = (
    "--unshare-user",
    "--unshare-all",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
)
# As far as this bubblewrap knows it (0.8): user namespaces of its own are of no use to a command, but they
# open much of the kernel to it.
NO_USER_NAMESPACES = "--disable-userns"

# What looks like files in /proc and are settings of the whole machine. For a server that runs as root they
# belong to the command too, without any right of root, and bubblewrap covers only what it can write itself:
# a program that is named in `core_pattern` would be run by the kernel, outside of any sandbox.
KERNEL_SETTINGS = tuple(
    Path("/proc", name)
    for name in (
        "acpi",
        "asound",
        "bus",
        "driver",
        "fs",
        "irq",
        "mtrr",
        "pressure",
        "scsi",
        "sys",
        "sysrq-trigger",
    )
)

# Memory that looks like a directory.
SHARED_MEMORY_BYTES_MAX = 256 * 1024 * 1024
_EMPTY_BYTES_MAX = 64 * 1024
_NOTHING = Path("/dev/null")

# A socket of a service can be connected to also where its directory is read-only.
SOCKETS = ("/run", "/var/run")
HOMES = ("/home", "/root", "/Users")
# Readable for a server that runs as root.
MACHINE_SECRETS = (
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/kubernetes",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/postgresql",
    "/var/backups",
    "/var/log",
    "/var/spool",
)
# In the home of a user whose whole home is the workspace.
HOME_SECRETS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/chatd",
    ".config/op",
    ".docker",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".password-store",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".local/share/keyrings",
    ".local/share/chatd",
    ".bash_history",
    ".zsh_history",
)


class Place(Struct, frozen=True, kw_only=True):
    """What the sandbox is made for. `hidden` is of the server: its data, its settings file.

    All paths are absolute, without symbolic links.
    """

    root: Path
    # Of the workspace: they take the place of /tmp and of the home.
    tmp: Path
    home: Path
    # The home of the user that the server runs as.
    user_home: Path
    hidden: tuple[Path, ...] = ()
    # What an administrator shows beside: tools in a home, for example.
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    network: bool = False
    # In the workspace: git runs what these name, also when its owner uses it outside of the sandbox.
    git: RunByGit = NOTHING
    # Only the home and /tmp, which belong to the workspace and are no part of it, can be written to.
    read_only: bool = False


class Mounting(IntEnum):
    """The strongest last: what the server keeps is hidden in any case."""

    EMPTY = 0
    WRITE = 1
    READ = 2
    HIDE = 3


class Mount(Struct, frozen=True):
    path: Path
    mounting: Mounting
    source: Path


def arguments(place: Place) -> list[str]:
    """Everything between the name of the program and the command."""
    # Of those on one path the strongest counts. What is inside of another comes after it.
    strongest = {mount.path: mount for mount in sorted(_mounts(place), key=lambda mount: mount.mounting)}
    mounts = sorted(strongest.values(), key=lambda mount: len(mount.path.parts))
    options = [*APART, *(("--share-net",) if place.network else ())]
    options += machine()
    options += ["--size", str(SHARED_MEMORY_BYTES_MAX), "--tmpfs", "/dev/shm"]  # noqa: S108
    emptied = [Path("/dev")]
    for mount in mounts:
        # Of what is not there, only directories are to be empty.
        if mount.mounting in _HIDING and (mount.path.is_dir() or not mount.path.exists()):
            options += ["--size", str(_EMPTY_BYTES_MAX), "--tmpfs", str(mount.path)]
            emptied.append(mount.path)
        else:
            options += [_OPTIONS[mount.mounting], str(mount.source), str(mount.path)]
    # Only now: places to mount on may have had to be made in them.
    for path in emptied:
        options += ["--remount-ro", str(path)]
    return [*options, "--chdir", "/"]


def machine() -> list[str]:
    """All of it, read-only, with processes and devices of its own."""
    fixed = [word for path in _there(KERNEL_SETTINGS) for word in ("--ro-bind", str(path), str(path))]
    return ["--ro-bind", "/", "/", "--proc", "/proc", *fixed, "--dev", "/dev"]


_HIDING = frozenset({Mounting.EMPTY, Mounting.HIDE})
_OPTIONS = {
    # A file is hidden by one without content.
    Mounting.EMPTY: "--ro-bind",
    Mounting.WRITE: "--bind",
    Mounting.READ: "--ro-bind",
    Mounting.HIDE: "--ro-bind",
}


def home_inside(place: Place) -> str:
    """Where a command finds its home: in the usual place, if there is one."""
    return str(place.user_home) if _has_home(place) else "/tmp"  # noqa: S108


def _mounts(place: Place) -> Iterator[Mount]:
    yield Mount(Path("/tmp"), Mounting.WRITE, place.tmp)  # noqa: S108
    if _is_own_directory(Path("/var/tmp")):  # noqa: S108
        yield Mount(Path("/var/tmp"), Mounting.WRITE, place.tmp)  # noqa: S108
    for path in _there(map(Path, (*SOCKETS, *HOMES, *MACHINE_SECRETS))):
        yield Mount(path, Mounting.EMPTY, _NOTHING)
    for path in _there(_outermost(place.hidden)):
        yield Mount(path, Mounting.HIDE, _NOTHING)
    yield from _homes(place)
    work = Mounting.READ if place.read_only else Mounting.WRITE
    if place.root.is_dir():
        yield Mount(place.root, work, place.root)
        yield from _run_by_git(place, work)
    for path in place.writable:
        yield Mount(path, work, path)
    for path in (*place.readable, *(_name_servers() if place.network else ())):
        yield Mount(path, Mounting.READ, path)


def _run_by_git(place: Place, work: Mounting) -> Iterator[Mount]:
    """Read-only; and the directories around it are mounts of their own, which cannot be renamed."""
    for path in place.git.around(place.root):
        yield Mount(path, work, path)
    for path in _there(place.git.fixed):
        if not _is_let(path, place):
            yield Mount(path, Mounting.READ, path)
    for path in place.git.missing:
        if not _is_let(path, place) and not os.path.lexists(path):
            yield Mount(path, Mounting.HIDE, _NOTHING)


def _is_let(path: Path, place: Place) -> bool:
    """Whether an administrator lets commands write there."""
    return any(path.is_relative_to(other) for other in place.writable)


def _outermost(paths: Sequence[Path]) -> Iterator[Path]:
    """What is in a hidden directory is hidden with it. Mounted by itself, its name would be seen again."""
    for path in paths:
        if not any(path != other and path.is_relative_to(other) for other in paths):
            yield path


def _homes(place: Place) -> Iterator[Mount]:
    if not _has_home(place):
        return
    if not place.user_home.is_relative_to(place.root):
        yield Mount(place.user_home, Mounting.WRITE, place.home)
        return
    # The workspace is the whole home, or more.
    for path in _there(place.user_home / name for name in HOME_SECRETS):
        yield Mount(path, Mounting.HIDE, _NOTHING)


def _has_home(place: Place) -> bool:
    return place.user_home.is_dir() and place.user_home != Path("/")


def _there(paths: Iterable[Path]) -> Iterator[Path]:
    return (path for path in paths if path.exists() and not path.is_symlink())


def _is_own_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _name_servers() -> Iterator[Path]:
    """With a network, names must be found: the file for that is often a link to one that is hidden."""
    path = Path("/etc/resolv.conf")
    if path.is_symlink() and path.exists():
        yield path.resolve()
