"""How long the command line takes to say what it can do and to show its prompt, and the server to be ready.

    python -m bench.start [--rounds N]

`chatd chat` runs in a pseudo-terminal against a server that runs, until its prompt is on the screen. The
floor of the command line is an interpreter that does nothing; that of the server is a bare one on the same
web server. A first start makes the database and the administrator; a second one finds them. Cases alternate,
and the shortest round counts: other programs on the machine only make one longer. The processor time beside
it says what it would be on a machine that does nothing else. Everything is compiled before, as pip and
`make serve` do it: where Python may write no bytecode, each start would take half a second longer.

Goals: `chatd --help` within 0.1 s, `chatd chat` within 0.4 s, ready within 0.7 s.
"""

import argparse
import asyncio
import compileall
import os
import pty
import re
import select
import signal
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import NamedTuple

import chatd as package
from bench._server import TOKEN, Process, bare, chatd, running, verdict

HELP_GOAL_SECONDS = 0.1
CHAT_GOAL_SECONDS = 0.4
READY_GOAL_SECONDS = 0.7
SOURCE = Path(package.__file__).parent

PATIENCE_SECONDS = 60
ROWS, COLUMNS = 40, 100
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>78]|\x1b\][^\x07]*\x07")

INTERPRETER, HELP, CHAT = "an interpreter", "chatd --help", "chatd chat"
BARE, FIRST, AGAIN = "a bare server", "chatd serve, first", "chatd serve, again"


class Took(NamedTuple):
    seconds: float
    # Of the processor.
    cpu_seconds: float


def finished(*arguments: str) -> Took:
    """A program that ends by itself."""
    began = time.perf_counter()
    quiet = os.open(os.devnull, os.O_WRONLY)
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *arguments],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)],
    )
    os.close(quiet)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, arguments
    return Took(time.perf_counter() - began, used.ru_utime + used.ru_stime)


def prompted(address: str, home: Path) -> Took:
    """`chatd chat` in a terminal, until one can type."""
    where = {"CHATD_URL": address, "CHATD_TOKEN": TOKEN, "HOME": str(home), "TERM": "xterm-256color"}
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-m", "chatd", "chat"], {**os.environ, **where})  # noqa: S606
    termios.tcsetwinsize(terminal, (ROWS, COLUMNS))
    try:
        _read_prompt(terminal)
        seconds = time.perf_counter() - began
    finally:
        os.kill(pid, signal.SIGKILL)
        _, _, used = os.wait4(pid, 0)
        os.close(terminal)
    return Took(seconds, used.ru_utime + used.ru_stime)


def _read_prompt(terminal: int) -> None:
    shown = b""
    while b"\n>" not in _ESCAPES.sub(b"", shown).replace(b"\r", b""):
        ready, _, _ = select.select([terminal], [], [], PATIENCE_SECONDS)
        assert ready, f"there is no prompt in {shown!r}"
        shown += os.read(terminal, 65536)


async def ready(process: Process) -> Took:
    await process.start()
    took = Took(process.ready_seconds, process.cpu_seconds)
    await process.kill()
    return took


async def run(rounds: int) -> None:
    found: dict[str, list[Took]] = {name: [] for name in (INTERPRETER, HELP, CHAT, BARE, FIRST, AGAIN)}
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
        async with running(chatd(Path(folder) / "talked-to")) as server:
            # The first of all reads programs from the disk, and is not counted.
            for number in range(rounds + 1):
                data = Path(folder) / str(number)
                times = (
                    await asyncio.to_thread(finished, "-c", "pass"),
                    await asyncio.to_thread(finished, "-m", "chatd", "--help"),
                    await asyncio.to_thread(prompted, server.address, Path(folder)),
                    await ready(bare()),
                    await ready(chatd(data)),
                    await ready(chatd(data)),
                )
                for taken, took in zip(found.values(), times, strict=True):
                    taken.extend([took] if number else [])
    print(f"\nSeconds from the start of a process, the shortest of {rounds}, and of the processor")
    for name, taken in found.items():
        print(f"  {name:20} {_shortest(taken):6.3f}   {min(each.cpu_seconds for each in taken):6.3f}")
    report(found, HELP, INTERPRETER, HELP_GOAL_SECONDS)
    report(found, CHAT, INTERPRETER, CHAT_GOAL_SECONDS)
    report(found, FIRST, BARE, READY_GOAL_SECONDS)
    report(found, AGAIN, BARE, READY_GOAL_SECONDS)


def report(found: dict[str, list[Took]], name: str, floor: str, goal: float) -> None:
    ours, theirs = _shortest(found[name]), _shortest(found[floor])
    print(
        f"  {name} over {floor}: {ours / theirs:.2f} x; {ours:.3f} s (goal {goal} s: {verdict(ours, goal)})"
    )


def _shortest(taken: list[Took]) -> float:
    return min(each.seconds for each in taken)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    compileall.compile_dir(SOURCE, quiet=1)
    asyncio.run(run(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
