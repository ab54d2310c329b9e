"""What a request costs with permits, limits by kind of caller and all that came with them, against before.

    python -m bench.permits [--requests N] [--rounds N] [--postgres]

The floor is the same request to the server as it was before there were permits: the commit before the one
that has added docs/decisions/0049-one-permit.md, taken from the history of this checkout. Both servers run at
the same time, as processes, on databases with the same content; requests come one after the other on one
connection, to each in turn, and the CPU of the server counts. The median of the rounds speaks for each.
Limits are on, and out of reach.

Goal: at most 1.1 x.
"""

import argparse
import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
from msgspec import Struct

from bench._server import TOKEN, Process, chatd, running, verdict
from bench.load import cpu_seconds
from tools.postgres import throwaway_postgres

ROOT = Path(__file__).resolve().parent.parent
DECISION = "docs/decisions/0049-one-permit.md"
GOAL = 1.1
CHATS = "/api/v1/chats"
# Listed with each look at the list.
LISTED = 20
PLENTY = "1000000"
SAID = {"content": [{"type": "text", "text": "wait 3600"}]}


class Place(Struct):
    """A server, and a chat of it that is busy."""

    process: Process
    session: aiohttp.ClientSession
    chat_id: str = ""

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        async with self.session.request(method, self.process.address + path, json=body) as answer:
            said = await answer.read()
            assert answer.ok, (path, answer.status, said)
            return await answer.json() if said else None


async def show(place: Place) -> None:
    await place.ask("GET", f"{CHATS}/{place.chat_id}")


async def list_(place: Place) -> None:
    await place.ask("GET", f"{CHATS}?limit={LISTED}")


async def send(place: Place) -> None:
    """And take it back: a queue has an end."""
    sent = await place.ask("POST", f"{CHATS}/{place.chat_id}/messages", SAID)
    await place.ask("DELETE", f"{CHATS}/{place.chat_id}/queue/{sent['queued_message']['id']}")


CASES: dict[str, Callable[[Place], Awaitable[None]]] = {
    "show a chat": show,
    f"list {LISTED} chats": list_,
    "send, and take it back": send,
}


def before(folder: Path) -> Path | None:
    """The code as it was, in this folder; None where the history does not reach back so far."""
    git = shutil.which("git")
    if git is None:
        return None

    def told(*arguments: str) -> bytes:
        return subprocess.run([git, *arguments], cwd=ROOT, capture_output=True, check=True).stdout

    try:
        added = told("log", "--diff-filter=A", "--format=%H", "--", DECISION).decode().split()
        archive = told("archive", f"{added[-1]}~1", "src")
    except (subprocess.CalledProcessError, IndexError):
        return None
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)  # noqa: S607
    return folder / "src"


@asynccontextmanager
async def place(process: Process) -> AsyncIterator[Place]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with running(process), aiohttp.ClientSession(headers=headers) as session:
        made = Place(process, session)
        for _ in range(LISTED):
            made.chat_id = (await made.ask("POST", CHATS, SAID))["id"]
        yield made


async def _has_permits(where: Place) -> bool:
    async with where.session.get(f"{where.process.address}/api/v1/permits") as answer:
        return answer.ok


async def cost_micros(where: Place, case: Callable[[Place], Awaitable[None]], requests: int) -> float:
    began = cpu_seconds(where.process.pid)
    for _ in range(requests):
        await case(where)
    return (cpu_seconds(where.process.pid) - began) / requests * 1e6


async def compare(places: dict[str, Place], *, rounds: int, requests: int) -> None:
    for name, case in CASES.items():
        spent: dict[str, list[float]] = {who: [] for who in places}
        for where in places.values():
            await cost_micros(where, case, requests // 10)
        for number in range(rounds):
            # Who comes first is not always the same.
            for who in list(places)[:: 1 if number % 2 else -1]:
                spent[who].append(await cost_micros(places[who], case, requests))
        floor, now = median(spent["before"]), median(spent["now"])
        print(
            f"  {name:24} before {floor:7.0f} us, now {now:7.0f} us CPU: {now / floor:.2f} x "
            f"(goal {GOAL:g}): {verdict(now / floor, GOAL)}",
            flush=True,
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--requests", type=int, default=1500, help="of one case, one server and one round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    arguments = parser.parse_args()
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        code = before(folder)
        if code is None:
            print("Nothing to compare with: the history of this checkout begins after permits.")
            return
        usual = {"log_level": "warning", "worker": "false", "requests_per_minute": PLENTY}
        urls: dict[str, dict[str, str]] = {"before": {}, "now": {}}
        if arguments.postgres:
            for who in urls:
                url = opened.enter_context(throwaway_postgres(durable=True))
                urls[who] = {"database_url": url}
        old = chatd(folder / "before", **usual, **urls["before"])
        old.environment["PYTHONPATH"] = str(code)
        new = chatd(folder / "now", **usual, turns_per_minute=PLENTY, **urls["now"])
        places = {
            who: await opened.enter_async_context(place(process))
            for who, process in {"before": old, "now": new}.items()
        }
        assert not await _has_permits(places["before"]), "the floor is not what it should be"
        print(f"A request, {'PostgreSQL' if arguments.postgres else 'SQLite'}", flush=True)
        await compare(places, rounds=arguments.rounds, requests=arguments.requests)


if __name__ == "__main__":
    asyncio.run(main())
