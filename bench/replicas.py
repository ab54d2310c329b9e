"""How turns per second grow with the servers of one PostgreSQL, and what each turn costs, and where.

    python -m bench.replicas [--servers 1,2,4] [--clients N] [--turns N] [--rounds N]

Servers, as a user runs them, on one PostgreSQL that writes to its disk. Clients are a closed loop, spread
evenly over the servers: each posts to a chat of its own when its viewer, at the same server, has seen the
last turn end (`turns.py` has the turn). Nothing is pinned to a core: everything competes for all of them.

Goal: two servers do 1.7 times the turns of one. Where servers, database and clients share few cores that
cannot be: then the table says what a turn costs each of them, and how many turns that allows at most.
"""

import argparse
import asyncio
import math
import os
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import median

import aiohttp
import asyncpg
import uvloop
from msgspec import Struct

from bench._database import spent
from bench._server import TOKEN, Process, running
from bench.fleet import fleet
from bench.load import cpu_seconds
from bench.turns import Client, Place
from tools.postgres import throwaway_postgres

GOAL_GROWTH = 1.7
WARM_UP = 3
CORES = os.cpu_count() or 1
# CPU in milliseconds, and how many turns per second that allows.
HEAD = "servers  turns/s  server CPU  database CPU  client CPU  allows/s  commits  WAL kB   (of a turn)"


class Measure(Struct, frozen=True):
    """Of one turn; CPU in milliseconds."""

    per_second: float
    server: float
    database: float
    client: float
    commits: float
    wal_bytes: float

    def at_most(self, servers: int, cores: float = CORES) -> float:
        """Turns per second: a server is one thread, and all of them share the cores with the rest."""
        in_all = self.server + self.database + self.client
        return min(servers * 1e3 / self.server, cores * 1e3 / in_all)


async def talk(clients: Sequence[Client], turns: int) -> None:
    async def go_on(client: Client) -> None:
        for _ in range(turns):
            await client.turn()

    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(go_on(client))


async def measured(
    raw: "asyncpg.Connection[asyncpg.Record]",
    servers: Sequence[Process],
    clients: Sequence[Client],
    turns: int,
) -> Measure:
    def cpu() -> float:
        return sum(cpu_seconds(server.pid) for server in servers)

    database, server, client, began = await spent(raw), cpu(), time.process_time(), time.perf_counter()
    await talk(clients, turns)
    took, client = time.perf_counter() - began, time.process_time() - client
    server, database = cpu() - server, (await spent(raw)).since(database)
    done = turns * len(clients)
    return Measure(
        per_second=done / took,
        server=server / done * 1e3,
        database=database.cpu_seconds / done * 1e3,
        client=client / done * 1e3,
        commits=database.commits / done,
        wal_bytes=database.wal_bytes / done,
    )


async def one_fleet(speaker: Process, servers: int, options: argparse.Namespace) -> Measure:
    """The middle one of the rounds."""
    async with AsyncExitStack() as opened:
        url = opened.enter_context(throwaway_postgres(durable=True))
        started = await opened.enter_async_context(fleet(speaker, url, servers))
        raw = await asyncpg.connect(url)
        opened.push_async_callback(raw.close)
        headers = {"authorization": f"Bearer {TOKEN}"}
        connector = aiohttp.TCPConnector(limit=0)
        session = await opened.enter_async_context(
            aiohttp.ClientSession(headers=headers, connector=connector)
        )
        places = [Place(each, f"{each.address}/api/v1/chats", makes_chats=True) for each in started]
        clients = [Client(session, places[n % servers], f"{n}") for n in range(options.clients)]
        for client in clients:
            await client.connect()
        await talk(clients, WARM_UP)
        rounds = [await measured(raw, started, clients, options.turns) for _ in range(options.rounds)]
        for client in clients:
            await client.close()
    return Measure(*(median(getattr(each, field) for each in rounds) for field in Measure.__struct_fields__))


def report(servers: int, found: Measure) -> None:
    print(
        f"{servers:>7}  {found.per_second:>7.0f}  {found.server:>10.2f}  {found.database:>11.2f}  "
        f"{found.client:>10.2f}  {found.at_most(servers):>9.0f}  {found.commits:>7.1f}  "
        f"{found.wal_bytes / 1e3:>6.1f}",
        flush=True,
    )


def judge(one: Measure, two: Measure) -> None:
    growth, allowed = two.per_second / one.per_second, two.at_most(2) / one.at_most(1)
    # Then only what a turn costs more in a fleet is in the way.
    enough = two.at_most(2, math.inf) / one.at_most(1, math.inf)
    met = "met" if growth >= GOAL_GROWTH else "missed"
    print(
        f"two servers do {growth:.2f} x the turns of one (goal {GOAL_GROWTH:g}: {met}). By their CPU, "
        f"{CORES} cores for servers, database and clients allow {allowed:.2f} x, "
        f"and enough cores {enough:.2f} x"
    )


async def run(options: argparse.Namespace) -> None:
    found: dict[int, Measure] = {}
    print(HEAD)
    async with running(Process("-m", "bench._speaker")) as speaker:
        for servers in map(int, options.servers.split(",")):
            found[servers] = await one_fleet(speaker, servers, options)
            report(servers, found[servers])
    if {1, 2} <= found.keys():
        judge(found[1], found[2])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--servers", default="1,2,4")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--turns", type=int, default=30, help="of each client, in each round")
    parser.add_argument("--rounds", type=int, default=5)
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
