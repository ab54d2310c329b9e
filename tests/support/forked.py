"""`python -m chatd` as a fork of a process that has imported it already: see `forkserver.py`.

Everything that starts programs goes through `Popen`, so nothing else has to know of it. What is not an
ordinary start of chatd is started as ever, and so is everything where a process cannot adopt another.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tests.support.forkserver import LENGTH_BYTES, own_terminal

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "chatd"]
# Of the interpreter and of the loader: with others than ours, a process would be another one.
TAKEN_AT_THE_START = ("PYTHON", "LD_", "MALLOC_")
ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
# Of `Popen._execute_child`, after the handles: restore_signals, gid, gids, uid, umask, own session, group.
USUAL = (True, None, None, None, -1, -1)
OWN_SESSION = 5

_start_as_ever: Callable[..., None] = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_asking = Lock()
_forkserver: "Forkserver | None" = None


def fork_instead() -> None:
    """For the rest of this process."""
    if sys.platform == "linux":
        subprocess.Popen._execute_child = _start  # type: ignore[attr-defined]


def stop_forking() -> None:
    global _forkserver  # noqa: PLW0603 - one for the whole process
    subprocess.Popen._execute_child = _start_as_ever  # type: ignore[attr-defined]
    if _forkserver is not None:
        _forkserver.end()
        _forkserver = None


def _start(
    self: Any,
    args: Any,
    executable: Any,
    preexec_fn: Any,
    close_fds: Any,
    pass_fds: Any,
    cwd: Any,
    env: Any,
    startupinfo: Any,
    creationflags: Any,
    shell: Any,
    *handles_and_more: Any,
) -> None:
    handles, more = handles_and_more[:6], list(handles_and_more[6:])
    own_session = more.pop(OWN_SESSION)
    if (
        not isinstance(args, Sequence)
        or list(args[: len(PROGRAM)]) != PROGRAM
        or executable not in (None, sys.executable)
        or preexec_fn not in (None, own_terminal)
        or pass_fds
        or shell
        or not _is_ours(env)
        or tuple(more) != USUAL
    ):
        _start_as_ever(
            self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags,
            shell, *handles_and_more,
        )  # fmt: skip
        return
    stdin, _, _, stdout, _, stderr = handles
    begun = {
        "arguments": [os.fspath(each) for each in args[len(PROGRAM) :]],
        "directory": os.path.abspath(cwd or "."),  # noqa: PTH100 - a link stays what it is
        "environment": dict(os.environ if env is None else env),
        "own_session": own_session,
        "own_terminal": preexec_fn is own_terminal,
    }
    streams = [own if given == -1 else given for own, given in enumerate((stdin, stdout, stderr))]
    try:
        self.pid = _forked(begun, streams)
        self._child_created = True
    finally:
        self._close_pipe_fds(*handles)


def _is_ours(env: Mapping[str, str] | None) -> bool:
    def taken(variables: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in variables.items() if name.startswith(TAKEN_AT_THE_START)}

    return env is None or taken(env) == taken(os.environ)


def _forked(begun: Mapping[str, Any], streams: Sequence[int]) -> int:
    """The id of a new process, which is a child of this one."""
    global _forkserver  # noqa: PLW0603 - as above
    with _asking:
        _forkserver = _forkserver or Forkserver()
        return _forkserver.fork(begun, streams)


class Forkserver:
    """The process that forks. It ends when this one does: then there is no other end of its line."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forkserver", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
            )

    def fork(self, begun: Mapping[str, Any], streams: Sequence[int]) -> int:
        data = json.dumps(begun).encode()
        with _adopting():
            socket.send_fds(self._line, [len(data).to_bytes(LENGTH_BYTES, "big")], streams)
            self._line.sendall(data)
            answer = self._line.recv(LENGTH_BYTES)
        assert answer, "the process that forks is gone; what it said is above"
        return int.from_bytes(answer, "big")

    def end(self) -> None:
        self._line.close()
        self._process.wait()


@contextmanager
def _adopting() -> Iterator[None]:
    """Orphans below this process become its children. What tests leave behind at other times does not."""
    prctl = ctypes.CDLL(None).prctl
    prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(ADOPT_ORPHANS, 0, 0, 0, 0)
