"""A command as a child of this process: how it is started, what it prints, how it is ended."""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from chatd.workspaces.processes import CannotStart, NoInput, Signal

# One piece of output, and how much of it may come before others get a turn.
CHUNK_BYTES = 64 * 1024
BURST_BYTES = 1024 * 1024
# A command that prints as fast as it can is read at about 100 MiB a second.
PAUSE_SECONDS = 0.01
# How long the sandbox may take to begin.
BEGIN_SECONDS_MAX = 20.0
# How long output is awaited of a command that has ended: something it left behind may still hold the pipe.
DRAIN_SECONDS_MAX = 1.0
# How long a command that does not read may hold up the one who gives it input.
INPUT_SECONDS_MAX = 5.0
_STATUS_BYTES_MAX = 16 * 1024

_CHILD_PID = re.compile(rb'"child-pid"\s*:\s*(\d+)')
_EXIT_CODE = re.compile(rb'"exit-code"\s*:\s*(\d+)')

SIGNALS: Mapping[Signal, signal.Signals] = {
    Signal.TERMINATE: signal.SIGTERM,
    Signal.KILL: signal.SIGKILL,
}


class Child:
    """`group` is the process group that signals go to. In a sandbox the first process in there leads it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        output: "Pipe",
        status: "SandboxStatus | None",
        errors: "Pipe | None" = None,
    ) -> None:
        self._process = process
        self._output = output
        self._errors = errors
        self._status = status
        self.group = process.pid if status is None else status.first_inside or process.pid

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def first_inside(self) -> int | None:
        """The first process in the sandbox, if there is one."""
        return self.group if self._status is not None else None

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Hand over what is printed, until no process can print any more."""
        burst = 0
        while chunk := await self._output.reader.read(CHUNK_BYTES):
            take(chunk)
            burst += len(chunk)
            if burst >= BURST_BYTES:
                burst = 0
                await asyncio.sleep(PAUSE_SECONDS)

    async def read_some(self) -> bytes:
        """What is printed next; empty when no process can print any more."""
        return await self._output.reader.read(CHUNK_BYTES)

    async def read_errors(self, take: Callable[[bytes], None]) -> None:
        """Hand over what is printed as errors, of a child that has these apart."""
        assert self._errors is not None
        while chunk := await self._errors.reader.read(CHUNK_BYTES):
            take(chunk)

    async def wait(self) -> int:
        """The exit code, as shells count: 128 and the number of the signal that ended it."""
        code = await self._process.wait()
        return code if code >= 0 else 128 - code

    async def has_begun(self) -> bool:
        """Whether the command ran at all: False when its sandbox could not be made. Ask when it has ended."""
        if self._status is None:
            return True
        # A sandbox that cannot be made ends with 1 and without telling the exit code of a command.
        return self._process.returncode != 1 or await self._status.exit_code() is not None

    async def write(self, data: bytes, *, end: bool) -> None:
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            raise NoInput("This process takes no input. Start it with `keep_input_open` to give it some.")
        try:
            async with asyncio.timeout(INPUT_SECONDS_MAX):
                stdin.write(data)
                await stdin.drain()
        except TimeoutError:
            raise NoInput("The process does not read its input at the moment. Try again later.") from None
        except (BrokenPipeError, ConnectionResetError):
            raise NoInput("The process has closed its input.") from None
        if end:
            stdin.close()

    def end_input(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    def signal(self, wanted: Signal) -> None:
        """To the group. What has ended already is left alone."""
        if self._process.returncode is not None:
            return
        if wanted is Signal.KILL:
            self.kill()
            return
        try:
            os.killpg(self.group, SIGNALS[wanted])
        except (ProcessLookupError, PermissionError):
            # The sandbox is not ready yet, so there is nothing in it that could end in an orderly way.
            self.kill()

    def kill(self) -> None:
        """The command and all of its group; in a sandbox everything that it has started, wherever it went."""
        if self._process.returncode is not None:
            return
        for target in {self.group, self.pid}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(target, signal.SIGKILL)
        self.kill_left_behind()

    def kill_left_behind(self) -> None:
        """What the command leaves in its group. A sandbox ends by itself with its command."""
        if self._status is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, signal.SIGKILL)

    def abandon(self) -> None:
        """Its starter was cancelled before it had begun."""
        self.kill()
        self.close()

    def close(self) -> None:
        for pipe in (self._output, self._errors, self._status):
            if pipe is not None:
                pipe.close()
        self.end_input()


class Pipe:
    """The end of a pipe that we read. No process owns it, so that the wait for one is not held up by it."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self.reader = reader
        self._transport = transport

    def close(self) -> None:
        self._transport.close()


async def _open_pipe() -> tuple[Pipe, int]:
    """A pipe of ours, and the descriptor to write to it."""
    ours, theirs = os.pipe()
    reader = asyncio.StreamReader(limit=CHUNK_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours, "rb", buffering=0)
    )
    return Pipe(reader, transport), theirs


async def start_child(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    takes_input: bool,
    sandbox: Sequence[str] = (),
    errors_apart: bool = False,
) -> Child:
    """Raises CannotStart with the reason. Returns when the command, or its sandbox, has begun.

    What it prints as errors is part of its output, unless it is wanted apart.
    """
    output, printed = await _open_pipe()
    errors, complained = await _open_pipe() if errors_apart else (None, None)
    status, told = None, None
    if sandbox:
        pipe, told = await _open_pipe()
        status = SandboxStatus(pipe)
    reporting = ("--json-status-fd", str(told), "--") if told is not None else ()
    try:
        process = await asyncio.create_subprocess_exec(
            *sandbox,
            *reporting,
            *command,
            env=env,
            cwd="/",
            stdin=asyncio.subprocess.PIPE if takes_input else asyncio.subprocess.DEVNULL,
            stdout=printed,
            stderr=printed if complained is None else complained,
            pass_fds=(told,) if told is not None else (),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        for ours in (output, errors, status):
            if ours is not None:
                ours.close()
        raise CannotStart(
            f"The command could not be started: {_why(error, (*sandbox, *command)[0])}"
        ) from error
    finally:
        for theirs in (printed, complained, told):
            if theirs is not None:
                os.close(theirs)
    if status is not None:
        try:
            await status.begin()
        except BaseException:
            Child(process, output, status, errors).abandon()
            raise
    return Child(process, output, status, errors)


def _why(error: OSError | ValueError, program: str) -> str:
    """The error does not name the program: the event loop has lost it."""
    if isinstance(error, FileNotFoundError):
        return f"there is no `{program}`. Install it on the server's machine, or name its whole path."
    return f"`{program}`: {error.strerror if isinstance(error, OSError) else error}."


class SandboxStatus:
    """What bubblewrap tells about the command: its first process, and in the end its exit code."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._said = b""
        self.first_inside: int | None = None

    async def begin(self) -> None:
        """Until the first process is known. A sandbox that cannot be made tells none, and prints why."""
        if (found := await self._find(_CHILD_PID, BEGIN_SECONDS_MAX)) is not None:
            self.first_inside = found

    async def exit_code(self) -> int | None:
        return await self._find(_EXIT_CODE, DRAIN_SECONDS_MAX)

    async def _find(self, pattern: re.Pattern[bytes], within_seconds: float) -> int | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_seconds):
                while not (found := pattern.search(self._said)) and len(self._said) < _STATUS_BYTES_MAX:
                    if not (more := await self._pipe.reader.read(_STATUS_BYTES_MAX)):
                        return None
                    self._said += more
                return int(found[1]) if found else None
        return None

    def close(self) -> None:
        self._pipe.close()
