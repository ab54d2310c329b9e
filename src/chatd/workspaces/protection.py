"""What keeps the commands of a workspace in their place: an honest statement for people."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct


class Level(StrEnum):
    # Commands can do whatever the user of the server can.
    NONE = "none"
    # As above, within limits of time, memory and the like.
    LIMITS = "limits"
    # They see a machine that they cannot change, but for the workspace.
    SANDBOX = "sandbox"
    # There is no sandbox, and running without one is not allowed: no command runs.
    CLOSED = "closed"


class Protection(Struct, frozen=True, kw_only=True):
    level: Level
    # Whether commands can reach the network.
    network: bool
    # What commands in a sandbox can change beside the workspace and directories of their own.
    writable: tuple[str, ...] = ()
    # What is limited, in words: "1024 processes", "4 GiB of memory for each process".
    limits: tuple[str, ...] = ()
    # Why it is not more, and what to do about it; empty when there is nothing to tell.
    why: str = ""

    def in_words(self) -> str:
        """One sentence for people and for models."""
        if self.level is not Level.SANDBOX:
            return _WORDS[self.level]
        writable = ", ".join(("the workspace", *self.writable, "a home and a /tmp of their own"))
        network = "can reach the network" if self.network else "cannot reach the network"
        return f"Commands run in a sandbox: they can change {writable}, nothing else, and {network}."


_WORDS: Mapping[Level, str] = {
    Level.NONE: "Commands run without a sandbox and without limits: they can do whatever the server can.",
    Level.LIMITS: "Commands run without a sandbox: within limits, they can do whatever the server can.",
    Level.CLOSED: "No command runs.",
}


def offer_in_words(root: Path | None, protection: Protection) -> str | None:
    """Where agents work and what protects the rest of the machine, for people."""
    return f"Agents work in {root}. {protection.in_words()}" if root is not None else None


NO_COMMANDS = Protection(level=Level.CLOSED, network=False)
