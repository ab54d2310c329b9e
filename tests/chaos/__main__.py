"""Chaos for some minutes: three servers, a PostgreSQL, and whatever may happen to them.

    python -m tests.chaos [--minutes 10] [--seed S] [--chats 6]

The same seed has the same disturbances in the same order; what they meet depends on the machine.
Whatever goes wrong, the ledger, the database and the logs of the servers are kept.
"""

import argparse
import asyncio
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.ledger import Violation
from tests.chaos.plan import Step, endless_plan
from tests.chaos.run import Chaos
from tools.postgres import crashing_postgres

KEPT = Path("build/chaos")


def main() -> int:
    options = _options()
    folder = KEPT / f"seed-{options.seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"{options.minutes:g} minutes of chaos, seed {options.seed}, kept in {folder}", flush=True)
    try:
        # Durable, or a crash of the database would lose commits that it has acknowledged.
        with crashing_postgres(durable=True) as postgres:
            chaos = Chaos(options.seed, folder.resolve(), postgres, options.chats)
            print(asyncio.run(chaos.run(_for_minutes(options.minutes, endless_plan(options.seed)))))
    except Violation as broken:
        print(broken)
        return 1
    return 0


def _for_minutes(minutes: float, plan: Iterator[Step]) -> Iterator[Step]:
    end = time.monotonic() + minutes * 60
    for step in plan:
        if time.monotonic() >= end:
            return
        yield step


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to disturb")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="another one each time")
    parser.add_argument("--chats", type=int, default=6, help="how many people, each with a chat")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
