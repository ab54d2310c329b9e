"""What a PostgreSQL on this machine has spent so far."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
from msgspec import Struct

if TYPE_CHECKING:
    RawConnection = asyncpg.Connection[asyncpg.Record]

TICK = os.sysconf("SC_CLK_TCK")
COUNTS = (
    "SELECT xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn "
    "FROM pg_stat_database WHERE datname = current_database()"
)


class Spent(Struct, frozen=True):
    cpu_seconds: float
    commits: int
    wal_bytes: int

    def since(self, before: "Spent") -> "Spent":
        return Spent(
            self.cpu_seconds - before.cpu_seconds,
            self.commits - before.commits,
            self.wal_bytes - before.wal_bytes,
        )


async def spent(raw: "RawConnection") -> Spent:
    """All of its processes, also of those that have ended."""
    ((commits, wal),) = await raw.fetch(COUNTS)
    return Spent(_cpu_of_all(await raw.fetchval("SHOW data_directory")), commits, int(wal))


def _cpu_of_all(data_directory: str) -> float:
    parent, ticks = int(Path(data_directory, "postmaster.pid").read_text(encoding="ascii").split()[0]), 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # It has just ended, and counts with its parent.
        own, of_ended = map(int, fields[11:13]), map(int, fields[13:15])
        if int(stat.parent.name) == parent:
            ticks += sum(own) + sum(of_ended)
        elif int(fields[1]) == parent:
            ticks += sum(own)
    return ticks / TICK
