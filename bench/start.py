"""How long the command line takes to say what it can do, and the server to be ready.

    python -m bench.start [--rounds N]

The floor of `chatd --help` is an interpreter that does nothing; that of the server is a bare one on the
same web server. A first start makes the database and the administrator; a second one finds them. Cases
alternate and the median of the rounds counts. Everything is compiled before, as pip and `make serve` do it:
where Python may write no bytecode, each start would take half a second longer.

Goals: `chatd --help` within 0.1 s, ready within 0.7 s.
"""

import argparse
import asyncio
import compileall
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import chatd as package
from bench._server import Process, bare, chatd, verdict

HELP_GOAL_SECONDS = 0.1
READY_GOAL_SECONDS = 0.7
SOURCE = Path(package.__file__).parent


async def finished(*arguments: str) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 0
    return time.perf_counter() - began


async def ready(process: Process) -> float:
    await process.start()
    await process.kill()
    return process.ready_seconds


async def run(rounds: int) -> None:
    found: dict[str, list[float]] = {
        "an interpreter": [],
        "chatd --help": [],
        "a bare server": [],
        "chatd serve, first": [],
        "chatd serve, again": [],
    }
    # The first of all reads programs from the disk, and is not counted.
    for number in range(rounds + 1):
        with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
            times = (
                await finished("-c", "pass"),
                await finished("-m", "chatd", "--help"),
                await ready(bare()),
                await ready(chatd(Path(folder) / "data")),
                await ready(chatd(Path(folder) / "data")),
            )
        if number:
            for taken, seconds in zip(found.values(), times, strict=True):
                taken.append(seconds)
    print(f"\nSeconds from the start of a process, median of {rounds} (and the longest)")
    for name, taken in found.items():
        print(f"  {name:20} {median(taken):6.3f}   ({max(taken):.3f})")
    report(found, "chatd --help", "an interpreter", HELP_GOAL_SECONDS)
    report(found, "chatd serve, first", "a bare server", READY_GOAL_SECONDS)
    report(found, "chatd serve, again", "a bare server", READY_GOAL_SECONDS)


def report(found: dict[str, list[float]], name: str, floor: str, goal: float) -> None:
    ours, theirs = median(found[name]), median(found[floor])
    print(
        f"  {name} over {floor}: {ours / theirs:.2f} x; {ours:.3f} s (goal {goal} s: {verdict(ours, goal)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    compileall.compile_dir(SOURCE, quiet=1)
    asyncio.run(run(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
