"""Applies `migrations/` in order, each once, all or none.

A file is numbered and named after its deed. `0007_split_names.sql` runs on both databases;
`0007_split_names.postgres.sql` before it, and only there.

Servers of the version before go on while a newer one migrates. A migration that they cannot live with has a
name that ends with `_without_older_servers`: then they are not ready any more.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from chatd.errors import Unusable
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.queries import SqlEngine

MIGRATIONS = Path(__file__).parent / "migrations"

# Of a migration after which servers of older versions must not be used.
WITHOUT_OLDER_SERVERS = "_without_older_servers"

_NAME = re.compile(r"(?P<number>\d{4})_(?P<deed>\w+)(?:\.(?P<only>\w+))?\.sql")


class Migration(Struct, frozen=True):
    number: int
    name: str
    scripts: tuple[str, ...]


def migrations_for(engine: SqlEngine) -> list[Migration]:
    """Every migration of this database, in order."""
    found: dict[int, Migration] = {}
    for only in (engine.value, None):
        for path in sorted(MIGRATIONS.glob("*.sql")):
            match = _NAME.fullmatch(path.name)
            assert match is not None, f"{path.name} is not named like a migration"
            if match["only"] == only:
                number, deed = int(match["number"]), match["deed"]
                before = found.get(number, Migration(number, deed, ()))
                assert before.name == deed, f"{before.name} and {deed} are both migration {number:04d}"
                script = path.read_text(encoding="utf-8")
                found[number] = Migration(number, deed, (*before.scripts, script))
    return [found[number] for number in sorted(found)]


async def migrate(db: Database, *, up_to: int | None = None) -> list[Migration]:
    """Bring the schema up to date. Returns what was applied: nothing, most of the time.

    Raises Unusable when the database was written by a newer program.
    """
    ours = [m for m in migrations_for(db.engine) if up_to is None or m.number <= up_to]

    async def body(tx: Connection) -> list[Migration]:
        await tx.all("one_migrator")
        await tx.run("create_migrations")
        pending = _pending(ours, {row[0] for row in await tx.all("applied_migrations")})
        for migration in pending:
            for script in migration.scripts:
                await tx.script(script)
            row = await tx.one("now")
            assert row is not None
            await tx.run("insert_migration", migration.number, migration.name, row[0])
        return pending

    return await db.write(body, pace=Pace.PATIENT)


async def check_schema(db: Database, *, or_newer: bool = False) -> None:
    """Raises Unusable unless the schema is the one that this program knows.

    With `or_newer`, for a server that runs, a newer one will do that does not shut older servers out.
    """

    async def body(tx: Connection) -> dict[int, str]:
        if await tx.one("has_migrations") is None:
            return {}
        return {row[0]: row[1] for row in await tx.all("applied_migrations")}

    ours = migrations_for(db.engine)
    # Urgent: a server that is busy is still ready.
    applied = await db.read(body, pace=Pace.URGENT)
    newest = max(migration.number for migration in ours)
    newer = {number: name for number, name in applied.items() if number > newest}
    shut_out = not or_newer or any(name.endswith(WITHOUT_OLDER_SERVERS) for name in newer.values())
    pending = _pending(ours, set(applied if shut_out else applied.keys() - newer.keys()))
    if pending:
        raise Unusable(
            f"The database lacks {len(pending)} migration(s), from {pending[0].number:04d} on. "
            "Run `chatd migrate`."
        )


def check_known(engine: SqlEngine, applied: set[int]) -> None:
    """Raises Unusable when a newer program has applied one of these. An older database can be migrated."""
    _pending(migrations_for(engine), applied)


def _pending(ours: Iterable[Migration], applied: set[int]) -> list[Migration]:
    known = {migration.number: migration for migration in ours}
    newer = max(applied, default=0)
    if newer not in known and applied:
        raise Unusable(
            f"The database is at migration {newer:04d}, and this chatd knows only up to "
            f"{max(known, default=0):04d}. A newer version wrote it: install that one, or use a backup."
        )
    return [known[number] for number in sorted(known) if number not in applied]
