"""How SQLite finds what is read often: by an index, and not by going through all there is."""

import sqlite3
from pathlib import Path

import pytest

from chatd.storage.migrate import migrate
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.sqlite.database import open_sqlite


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    path = tmp_path / "chatd.db"
    async with open_sqlite(path, now_micros=lambda: 0) as db:
        await migrate(db)
    return path


def plan_of(database: Path, query: str, *values: object) -> list[str]:
    sql = queries_for(SqlEngine.SQLITE)[query]
    raw = sqlite3.connect(database)
    raw.create_function("chatd_now", 0, lambda: 0)
    try:
        return [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    finally:
        raw.close()


async def test_calls_that_were_answered_are_not_looked_at_for_those_that_are_open(database: Path) -> None:
    plan = plan_of(database, "open_calls", "chat")

    (step,) = [step for step in plan if step.startswith(("SEARCH k ", "SCAN k"))]
    assert "calls_unanswered" in step, plan


async def test_calls_that_were_answered_are_not_looked_at_when_operators_ask_for_numbers(
    database: Path,
) -> None:
    plan = plan_of(database, "count_calls")

    assert [step.split(" ", 2)[1] for step in plan if step.startswith(("SEARCH", "SCAN"))] == ["k", "c"], plan
    assert "calls_unanswered" in plan[0], plan
    assert plan[1].endswith("(id=?)"), plan


async def test_chats_in_which_words_were_found_are_looked_up_by_their_ids(database: Path) -> None:
    """Not among all chats of the user, of which there may be thousands, at each look of a search."""
    plan = plan_of(database, "listed_among", "user", 0, "%", "{}", '["chat"]')

    (step,) = [step for step in plan if step.startswith(("SEARCH c ", "SCAN c"))]
    assert step.endswith("(id=?)"), plan


@pytest.mark.parametrize(
    ("query", "values", "index"),
    [
        # Every watcher of a list compares its chats every few seconds.
        ("snapshots_of_list", ("user", 10), "SEARCH c USING INDEX chats_by_owner"),
        # Anyone may ask for them as often as for anything.
        ("transfers_by", ("user", 10), "SEARCH c USING INDEX chats_by_owner"),
        # In the transaction that deletes a chat, for which all others wait.
        ("delete_unlinked_files_of", ("chat",), "SEARCH l USING INDEX file_links_by_file"),
        # With each sign-in.
        ("delete_ended_sign_ins", (10,), "SEARCH sign_ins USING INDEX sign_ins_by_end"),
    ],
)
async def test_what_is_one_users_is_not_looked_for_among_what_is_everybodys(
    database: Path, query: str, values: tuple[object, ...], index: str
) -> None:
    plan = plan_of(database, query, *values)

    assert any(step.startswith(index) for step in plan), plan
    assert not any(step.startswith(("SCAN c", "SCAN file_links", "SCAN sign_ins")) for step in plan), plan
