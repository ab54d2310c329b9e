"""A process that has imported chatd, and forks for every `python -m chatd` that tests start.

To start Python and import everything takes half a second and more, a fork a few milliseconds, and the tests
start a thousand processes. What is forked is as a fresh interpreter: arguments, environment, folder and
standard streams are those that were asked for, and the test that waits for it or kills it is its parent.
"""

import fcntl
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import termios
from importlib import import_module
from io import TextIOWrapper
from typing import Any

# Loaded by a server when it first needs them, if ever: tests see to that in real processes.
LEFT_OUT = ("chatd.__main__", "chatd.mcp.wire", "chatd.providers.credentials")
STREAMS = 3
LENGTH_BYTES = 4


def serve(line: socket.socket) -> None:
    """Fork for each request, until the test's process is gone. Only a forked process returns."""
    _import_everything()
    # Ctrl-C is for the tests; they end us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while (request := _read(line)) is not None:
        begun, handles = request
        child = _orphan()
        if child == 0:
            line.close()
            _become(begun, handles)
            return
        for handle in handles:
            os.close(handle)
        line.sendall(child.to_bytes(LENGTH_BYTES, "big"))
    os._exit(0)


def _import_everything() -> None:
    import chatd  # noqa: PLC0415 - all that happens here is to import

    for found in pkgutil.walk_packages(chatd.__path__, "chatd."):
        if not found.name.startswith(LEFT_OUT):
            import_module(found.name)
    gc.collect()
    gc.freeze()


def _read(line: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    size, handles, _, _ = socket.recv_fds(line, LENGTH_BYTES, STREAMS)
    if not size:
        return None
    left = int.from_bytes(size, "big")
    data = b""
    while len(data) < left:
        data += line.recv(left - len(data))
    return json.loads(data), list(handles)


def _orphan() -> int:
    """Zero in a new process, and its id here. Its parent has ended: whoever adopts orphans has it now."""
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.close(writing)
            return 0
        os.write(writing, child.to_bytes(LENGTH_BYTES, "big"))
        os._exit(0)
    os.close(writing)
    child = int.from_bytes(os.read(reading, LENGTH_BYTES), "big")
    os.close(reading)
    os.waitpid(between, 0)
    return child


def _become(begun: dict[str, Any], handles: list[int]) -> None:
    if begun["own_session"]:
        os.setsid()
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
    os.closerange(STREAMS, max(handles) + 1)
    if begun["own_terminal"]:
        own_terminal()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(begun["directory"])
    os.environ.clear()
    os.environ.update(begun["environment"])
    sys.argv = ["-m", *begun["arguments"]]
    sys.path[0] = begun["directory"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]


def _stream(number: int, mode: str) -> TextIOWrapper:
    """As the interpreter opens it when it starts."""
    raw = open(number, f"{mode}b", closefd=False)  # noqa: SIM115 - for as long as the process lives
    return TextIOWrapper(
        raw,
        encoding="utf-8",
        errors="backslashreplace" if number == 2 else "strict",
        line_buffering=number == 2 or os.isatty(number),
        write_through=bool(os.environ.get("PYTHONUNBUFFERED")) and mode == "w",
    )


def own_terminal() -> None:
    """Ctrl-C at the terminal on standard input is for this process, as it is for a person's."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module("chatd", run_name="__main__", alter_sys=True)
