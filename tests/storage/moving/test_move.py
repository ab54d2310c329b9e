"""From SQLite to PostgreSQL: every row of every table, or nothing."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from chatd.errors import Unusable
from chatd.storage.migrate import migrate
from chatd.storage.moving.fingerprint import Fingerprint
from chatd.storage.moving.move import Moved, move
from chatd.storage.moving.tables import LEFT_BEHIND, Table, tables_of
from chatd.storage.postgres.database import open_postgres
from tests.storage.moving.rows import fill
from tests.support.fresh_postgres import fresh_database


@pytest.fixture
def filled(sqlite_template: Path, tmp_path: Path) -> Path:
    """A database with two rows in every table."""
    path = tmp_path / "chatd.db"
    shutil.copy(sqlite_template, path)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DELETE FROM users")
        fill(raw)
    return path


@pytest.fixture
async def target(postgres_server: str) -> AsyncIterator[str]:
    async with fresh_database(postgres_server) as url:
        yield url


def here(path: Path) -> dict[str, list[Sequence[object]]]:
    with closing(sqlite3.connect(path)) as raw:
        return {
            table.name: sorted((_as_postgres(table, row) for row in raw.execute(table.query)), key=repr)
            for table in tables_of(raw)
        }


def _as_postgres(table: Table, row: Sequence[object]) -> Sequence[object]:
    return tuple(
        bool(value) if place in table.truths and value is not None else value
        for place, value in enumerate(row)
    )


async def there(url: str, source: Path) -> dict[str, list[Sequence[object]]]:
    with closing(sqlite3.connect(source)) as raw:
        tables = tables_of(raw)
    connection = await asyncpg.connect(url)
    try:
        return {
            table.name: sorted((tuple(row) for row in await connection.fetch(table.query)), key=repr)
            for table in tables
        }
    finally:
        await connection.close()


async def test_every_row_of_every_table_is_moved_as_it_is(filled: Path, target: str) -> None:
    before = here(filled)
    told: list[tuple[str, int]] = []

    moved = await move(filled, target, lambda table, rows: told.append((table, rows)))

    assert await there(target, filled) == before == here(filled)
    assert sorted(moved, key=lambda each: each.table) == [
        Moved(table=name, rows=2) for name in sorted(before)
    ]
    assert sorted(told) == sorted((name, 2) for name in before)


async def test_what_is_not_moved_is_named(filled: Path, target: str) -> None:
    async with open_postgres(target) as db:
        await migrate(db)
    connection = await asyncpg.connect(target)
    try:
        rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    finally:
        await connection.close()

    with closing(sqlite3.connect(filled)) as raw:
        moved = {table.name for table in tables_of(raw)}
    assert {row[0] for row in rows} == moved | set(LEFT_BEHIND)


async def test_a_database_that_is_not_empty_is_left_alone(filled: Path, target: str) -> None:
    async with open_postgres(target) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "someone", "someone", "member"))

    with pytest.raises(Unusable, match="not empty: there is something in its table users"):
        await move(filled, target)

    found = await there(target, filled)
    assert [row[0] for row in found.pop("users")] == ["someone"]
    assert not any(found.values())


async def test_a_row_that_the_other_database_refuses_undoes_all_that_came_before(
    filled: Path, target: str
) -> None:
    with closing(sqlite3.connect(filled)) as raw:
        # No value of ours has this character: PostgreSQL's text cannot hold it.
        raw.execute("UPDATE messages SET content = 'a' || char(0) || 'b'")
        raw.commit()

    with pytest.raises(Unusable, match="Nothing was moved"):
        await move(filled, target)

    assert not any((await there(target, filled)).values())
    with closing(sqlite3.connect(filled)) as raw:
        raw.execute("UPDATE messages SET content = '[]'")
        raw.commit()
    await move(filled, target)
    assert await there(target, filled) == here(filled)


async def test_rows_that_arrive_changed_are_noticed_and_nothing_is_kept(filled: Path, target: str) -> None:
    async with open_postgres(target) as db:
        await migrate(db)
        await db.write(
            lambda tx: tx.script(
                "CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS "
                "'BEGIN NEW.title := lower(NEW.title); RETURN NEW; END';"
                "CREATE TRIGGER meddle BEFORE INSERT ON chats FOR EACH ROW EXECUTE FUNCTION meddle();"
            )
        )
    with closing(sqlite3.connect(filled)) as raw:
        raw.execute("UPDATE chats SET title = 'A Title'")
        raw.commit()

    with pytest.raises(Unusable, match="of chats did not arrive as they were"):
        await move(filled, target)

    assert not any((await there(target, filled)).values())


def prints(rows: Sequence[Sequence[object]]) -> Fingerprint:
    found = Fingerprint()
    for row in rows:
        found.add(row)
    return found


DIFFERENT: list[Sequence[Sequence[object]]] = [
    [("a", 1)],
    [("a", 1), ("a", 1), ("b", None)],
    [("a", 1), ("b", "")],
    [("a", True), ("b", None)],
    [("a1", ""), ("b", None)],
    [(b"a", 1), ("b", None)],
]


def test_a_fingerprint_knows_no_order() -> None:
    assert prints([("a", 1), ("b", None)]) == prints([("b", None), ("a", 1)])


@pytest.mark.parametrize("rows", DIFFERENT)
def test_a_fingerprint_tells_rows_apart(rows: Sequence[Sequence[object]]) -> None:
    assert prints(rows) != prints([("a", 1), ("b", None)])
