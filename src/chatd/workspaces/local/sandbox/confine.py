"""Which protection the commands of this machine get: what was asked for, and what the system offers."""

import asyncio
import os
import shutil
from enum import StrEnum
from pathlib import Path

import structlog
from msgspec import Struct

from chatd.errors import Misconfigured
from chatd.kit.text import one_line, shortened
from chatd.workspaces.local.sandbox.limits import Limits, in_words
from chatd.workspaces.local.sandbox.mounts import APART, NO_USER_NAMESPACES, machine
from chatd.workspaces.places import Places
from chatd.workspaces.protection import NO_COMMANDS, Level, Protection

log = structlog.get_logger()

PROGRAM = "bwrap"
_PROBE_SECONDS_MAX = 10.0
_REASON_CHARACTERS_MAX = 300

# A sandbox that works has process ids of its own, and a machine that cannot be written to, nor its kernel.
_PROBE = (
    '[ "$$" -lt 100 ] && [ ! -w / ] && [ ! -w /proc/sys/kernel/core_pattern ] '
    "&& [ ! -w /proc/sysrq-trigger ] && echo confined"
)

_INSTALL = (
    "Install bubblewrap (on Debian and Ubuntu: apt install bubblewrap), "
    "and allow unprivileged user namespaces."
)


class SandboxMode(StrEnum):
    # Without a sandbox no command runs.
    REQUIRE = "require"
    # Without a sandbox commands run within limits only, if a person is asked for each of them.
    AUTO = "auto"
    OFF = "off"


def mode_for(mode: SandboxMode, *, asks: bool, shared: bool) -> SandboxMode:
    """What `auto` means here: a person who is asked for each command can do without a sandbox."""
    return SandboxMode.REQUIRE if mode is SandboxMode.AUTO and (shared or not asks) else mode


class Confinement(Struct, frozen=True, kw_only=True):
    """What an administrator decides for all local workspaces.

    `hidden` is what the server keeps: its data directory, its settings file. `readable` and `writable` are
    shown to commands beside the workspace, `passed` are variables of the server's environment.
    """

    mode: SandboxMode = SandboxMode.REQUIRE
    network: bool = False
    hidden: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    passed: frozenset[str] = frozenset()
    limits: Limits = Limits()


def check_paths(confinement: Confinement) -> None:
    """Raises Misconfigured for a path that cannot be shown to commands: then no command could run."""
    hidden = [path.resolve() for path in confinement.hidden]
    for path in (*confinement.readable, *confinement.writable):
        if not path.is_absolute() or not path.exists():
            raise Misconfigured(
                f"{path} is to be shown to commands, and does not exist or is not absolute. Correct "
                "CHATD_SANDBOX_READABLE or CHATD_SANDBOX_WRITABLE."
            )
        if any(path.resolve().is_relative_to(each) for each in hidden):
            raise Misconfigured(
                f"{path} is to be shown to commands, and is where the server keeps its keys. Remove it from "
                "CHATD_SANDBOX_READABLE and CHATD_SANDBOX_WRITABLE."
            )


class Enclosure(Struct, frozen=True, kw_only=True):
    """`sandbox` is how a sandboxed command begins; empty when commands run without one."""

    protection: Protection
    sandbox: tuple[str, ...] = ()


async def offered_enclosure(places: Places, confinement: Confinement) -> Enclosure:
    """What protects the machine from commands there, and a line in the log that says so."""
    if places.root is None:
        return Enclosure(protection=NO_COMMANDS)
    found = await find_enclosure(confinement)
    told = found.protection
    is_weak = told.level is not Level.SANDBOX or bool(told.why)
    (log.warning if is_weak else log.info)(
        "workspace.offered",
        root=str(places.root),
        shared=places.shared,
        protection=told.level.value,
        network=told.network,
        why=told.why,
    )
    return found


async def find_enclosure(confinement: Confinement, program: str | None = None) -> Enclosure:
    """Tries the sandbox out, once. Never fails: what is missing is told by the protection."""
    if confinement.mode is SandboxMode.OFF:
        return _unconfined(confinement, "The administrator turned the sandbox off (CHATD_SANDBOX=off).")
    found = shutil.which(program or PROGRAM)
    if found is None:
        return _without(confinement, f"There is no sandbox, because `{program or PROGRAM}` is not installed.")
    problem = ""
    for options in ((NO_USER_NAMESPACES,), ()):
        problem = await _problem_of(found, options)
        if not problem:
            return _confined(confinement, (found, *options))
    return _without(confinement, f"There is no sandbox, because `{found}` does not work here: {problem}")


async def _problem_of(program: str, options: tuple[str, ...]) -> str:
    """What this bubblewrap says when it is run; empty when it confines."""
    command = [*options, *APART, *machine()]
    child = await asyncio.create_subprocess_exec(
        program,
        *command,
        "--",
        "/bin/sh",
        "-c",
        _PROBE,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"PATH": os.defpath},
    )
    try:
        async with asyncio.timeout(_PROBE_SECONDS_MAX):
            said, _ = await child.communicate()
    except TimeoutError:
        child.kill()
        await child.wait()
        return "It did not answer."
    words = said.decode("utf-8", "replace").strip()
    if words == "confined":
        return ""
    return shortened(one_line(words), _REASON_CHARACTERS_MAX) or f"It ended with {child.returncode}."


def _confined(confinement: Confinement, sandbox: tuple[str, ...]) -> Enclosure:
    why = ""
    if os.geteuid() == 0:
        why = (
            "The server runs as root, so commands can read most files of this machine. "
            "Run the server as a user of its own."
        )
    protection = Protection(
        level=Level.SANDBOX,
        network=confinement.network,
        writable=tuple(str(path) for path in confinement.writable),
        limits=in_words(confinement.limits, confined=True),
        why=why,
    )
    return Enclosure(protection=protection, sandbox=sandbox)


def _without(confinement: Confinement, why: str) -> Enclosure:
    if confinement.mode is SandboxMode.AUTO:
        return _unconfined(
            confinement,
            f"{why} Until there is one, a person is asked for each command that no rule allows. {_INSTALL} "
            "With CHATD_SANDBOX=require no command runs without it.",
        )
    closed = f"{why} No command is run. {_INSTALL} CHATD_SANDBOX=off runs them with the rights of the server."
    return Enclosure(protection=Protection(level=Level.CLOSED, network=False, why=closed))


def _unconfined(confinement: Confinement, why: str) -> Enclosure:
    protection = Protection(
        level=Level.LIMITS, network=True, limits=in_words(confinement.limits, confined=False), why=why
    )
    return Enclosure(protection=protection)
