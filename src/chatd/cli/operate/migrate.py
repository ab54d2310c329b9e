"""chatd migrate: bring the database up to date, and say what that took."""

from collections.abc import Mapping
from contextlib import ExitStack

from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_json
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.migrate import Migration, migrate
from chatd.storage.open import open_database, sqlite_path


def run(flags: Mapping[str, object], *, as_json: bool) -> None:
    applied = run_loop(_migrate(settings_from(flags)))
    if as_json:
        rows = [{"number": migration.number, "name": migration.name} for migration in applied]
        say_json({"applied": rows})
    elif applied:
        for migration in applied:
            say(f"Applied {migration.number:04d} {migration.name}.")
    else:
        say("The database is up to date.")


async def _migrate(settings: Settings) -> list[Migration]:
    with ExitStack() as held:
        # PostgreSQL lets one program migrate at a time by itself.
        if (database := sqlite_path(settings.database)) is not None:
            held.enter_context(locked(open_data_dir(settings.data_dir), database))
        async with open_database(settings.database, SystemClock()) as db:
            return await migrate(db)
