"""Processes of a workspace: the seam that tools know, whatever kind of workspace it is.

Processes belong to chats. With the id of another chat a process is unknown; `chat_id=None` sees all of them,
for people who look after the workspace.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.workspaces.pipes import Pipes, Program

# How much of an output one answer shows, and how much of one of its lines.
OUTPUT_BYTES_MAX = 32 * 1024
LINE_BYTES_MAX = 2048
# How long one request for output may wait. A caller that has more time asks again.
WAIT_SECONDS_MAX = 300.0


class ProcessError(Exception):
    """It could not be done. The message is for a model, and says what to do instead."""


class UnknownProcess(ProcessError):
    """There is no process of this id, or it belongs to another chat."""


class CannotStart(ProcessError):
    """No process was started."""


class NotRunning(ProcessError):
    """The process has ended already."""


class NoInput(ProcessError):
    """The process takes no input, or not now."""


class Unreachable(ProcessError):
    """The workspace did not answer. What was asked for may have happened."""


class Signal(StrEnum):
    TERMINATE = "terminate"
    KILL = "kill"


class Until(StrEnum):
    """What a request for output waits for, at most for its time."""

    NOW = "now"
    # Something was printed beyond the offset, or the process has ended.
    OUTPUT = "output"
    EXIT = "exit"


class Start(Struct, frozen=True, kw_only=True):
    """`id` is chosen by the caller: a request that is repeated because its answer was lost starts nothing."""

    id: str
    chat_id: ChatId
    command: str
    # Relative to the root of the workspace, or absolute. None is the root.
    workdir: str | None = None
    env: Mapping[str, str] = {}
    # Only told again; both kinds run in the same way.
    background: bool = False
    # Whether `input` can reach it. Otherwise it reads an empty input.
    takes_input: bool = False
    # It cannot change the workspace, where there is a sandbox.
    read_only: bool = False


class Process(Struct, frozen=True, kw_only=True):
    """What is known of a process. `exit_code` is 128 plus the number of the signal that ended it."""

    id: str
    chat_id: ChatId
    command: str
    workdir: str
    background: bool
    started_micros: int
    running: bool = True
    exit_code: int | None = None
    exited_micros: int | None = None
    # Why it was stopped, when it broke a limit of the workspace.
    stopped_because: str | None = None


class Look(Struct, frozen=True, kw_only=True):
    """Which part of the output is wanted. Without a choice: its beginning and its end."""

    # From this byte on.
    offset: int | None = None
    # Only the last lines.
    tail: int | None = None
    # Only lines with one of these words, in any case of letters.
    words: tuple[str, ...] = ()
    bytes_max: int = OUTPUT_BYTES_MAX


class Output(Struct, frozen=True, kw_only=True):
    """`text` is valid UTF-8. The counts are of bytes as the process wrote them."""

    process: Process
    text: str
    total_bytes: int
    # How many of these the text shows.
    shown_bytes: int
    # How many are not kept any more, because there were too many.
    lost_bytes: int = 0
    # Where the text begins and where to go on, when it is one piece of the output.
    offset: int = 0
    next_offset: int = 0


class Processes(Protocol):
    async def start(self, start: Start) -> Process:
        """Raises CannotStart. The same id twice is the process that runs already."""
        ...

    async def list(self, chat_id: ChatId | None) -> tuple[Process, ...]:
        """Running ones first, then the newest first."""
        ...

    async def output(
        self,
        chat_id: ChatId | None,
        process_id: str,
        look: Look,
        *,
        until: Until = Until.NOW,
        wait_seconds: float = 0.0,
    ) -> Output:
        """Waits at most WAIT_SECONDS_MAX; a process that runs on is told as running."""
        ...

    async def input(self, chat_id: ChatId | None, process_id: str, data: bytes, *, end: bool = False) -> None:
        """Hand it these bytes. With `end` its input is over then. Raises NoInput or NotRunning."""
        ...

    async def signal(self, chat_id: ChatId | None, process_id: str, signal: Signal) -> None:
        """Signal the whole group. Raises NotRunning."""
        ...

    def piped(self, program: Program) -> AbstractAsyncContextManager[Pipes]:
        """A program to speak with, protected as commands are; it is in no list. Raises CannotStart.

        It ends with the block, or with the workspace.
        """
        ...

    def environment(self) -> Mapping[str, str]:
        """What programs of this workspace find in their environment."""
        ...

    async def end_all(self) -> None:
        """End every process, also what they have started. Nothing can be started any more."""
        ...
