"""How SQLite finds what most transactions read: by an index, and not by going through a chat."""

import sqlite3
from pathlib import Path

from chatd.storage.migrate import migrate
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.sqlite.database import open_sqlite


async def test_calls_that_were_answered_are_not_looked_at_for_those_that_are_open(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "chatd.db", now_micros=lambda: 0) as db:
        await migrate(db)
    sql = queries_for(SqlEngine.SQLITE)["open_calls"]
    raw = sqlite3.connect(tmp_path / "chatd.db")
    try:
        plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {sql}", ("chat",))]
    finally:
        raw.close()

    (step,) = [step for step in plan if step.startswith(("SEARCH k ", "SCAN k"))]
    assert "calls_unanswered" in step, plan
