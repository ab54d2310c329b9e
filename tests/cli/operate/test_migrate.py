import json
from pathlib import Path

from chatd.storage.migrate import migrations_for
from chatd.storage.queries import SqlEngine
from tests.cli.program import chatd, complaint, serving

EVERY = migrations_for(SqlEngine.SQLITE)


def test_migrate_says_what_it_applied_and_then_that_there_is_nothing_left(tmp_path: Path) -> None:
    first = chatd(tmp_path, "migrate", "--data-dir", "data")
    second = chatd(tmp_path, "migrate", "--data-dir", "data")

    assert first.stdout.splitlines() == [f"Applied {each.number:04d} {each.name}." for each in EVERY]
    assert second.stdout == "The database is up to date.\n"
    assert (first.returncode, second.returncode) == (0, 0)


def test_migrate_talks_to_scripts_too(tmp_path: Path) -> None:
    first = chatd(tmp_path, "migrate", "--data-dir", "data", "--json")
    second = chatd(tmp_path, "migrate", "--data-dir", "data", "--json")

    assert json.loads(first.stdout) == {
        "applied": [{"number": each.number, "name": each.name} for each in EVERY]
    }
    assert json.loads(second.stdout) == {"applied": []}


def test_migrate_works_on_postgres(tmp_path: Path, postgres_url: str) -> None:
    run = chatd(tmp_path, "migrate", "--database-url", postgres_url)

    assert (run.returncode, run.stdout) == (0, "The database is up to date.\n")


async def test_migrate_keeps_away_from_a_running_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        run = chatd(tmp_path, "migrate", "--data-dir", "data")

        assert run.returncode == 1
        assert f"process {server.process.pid}" in complaint(run)
