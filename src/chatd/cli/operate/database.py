"""chatd database: copy a database, put a copy back, and move everything to PostgreSQL."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_aside, say_json
from chatd.errors import Misconfigured, Unusable
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.migrate import check_schema
from chatd.storage.open import open_existing, sqlite_path
from chatd.storage.sqlite.backup import back_up
from chatd.storage.sqlite.backup import restore as put_back

PERCENT = 100


def backup(file: Path, flags: Mapping[str, object], *, as_json: bool) -> None:
    database = _sqlite_of(
        settings_from(flags), instead="Use `pg_dump` for it; docs/operate/backup.md says how."
    )
    back_up(database, file, _percent("Copied"))
    size = file.stat().st_size
    if as_json:
        say_json({"file": str(file.absolute()), "bytes": size})
    else:
        say(f"{database} is now in {file} as well ({size:,} bytes).")
        say_aside(
            "Keep `secret-key` of the data directory too, in another place: it unseals the keys in the copy."
        )


def restore(file: Path, flags: Mapping[str, object], *, as_json: bool) -> None:
    settings = settings_from(flags)
    database = _sqlite_of(settings, instead="Use `pg_restore` for it; docs/operate/backup.md says how.")
    with locked(open_data_dir(settings.data_dir), database):
        aside = put_back(file, database, _percent("Restored"))
    if as_json:
        say_json({"database": str(database), "before": str(aside) if aside is not None else None})
        return
    say(f"{database} is now as it was when {file} was made. Start the server with `chatd serve`.")
    if aside is not None:
        say_aside(
            f"What was there is in {aside}. Remove it, and what begins with its name, when all is well."
        )


def move(url: str, flags: Mapping[str, object], *, as_json: bool) -> None:
    # The driver of PostgreSQL is not needed for the others, and may be large.
    from chatd.storage.moving.move import move as move_all  # noqa: PLC0415 - see above

    target = sys.stdin.readline().strip() if url == "-" else url
    settings = settings_from(flags)
    source = _sqlite_of(settings, instead="There is nothing to move.")
    if sqlite_path(target) is not None:
        raise Misconfigured("Chats can be moved to PostgreSQL only: name it with postgresql://…")
    with locked(open_data_dir(settings.data_dir), source):
        run_loop(_check_source(settings))
        moved = run_loop(move_all(source, target, _told_rows))
    if as_json:
        say_json({"tables": moved})
        return
    say(f"All {sum(each.rows for each in moved):,} rows of {len(moved)} tables are there, and are the same.")
    say(
        "Set database_url to that address, and start the server with this data directory: its `secret-key` "
        "and `workspaces` still belong to the chats."
    )
    say_aside(f"{source} was not changed. Do not start a server on it again: its chats are elsewhere now.")


async def _check_source(settings: Settings) -> None:
    async with open_existing(settings.database, SystemClock()) as db:
        await check_schema(db)


def _sqlite_of(settings: Settings, *, instead: str) -> Path:
    path = sqlite_path(settings.database)
    if path is None:
        raise Unusable(f"The database is PostgreSQL. {instead}")
    return path


def _percent(deed: str) -> Callable[[int, int], None]:
    """For people at a terminal."""

    def tell(done: int, of: int) -> None:
        if sys.stderr.isatty() and of:
            say_aside(f"{deed} {done * PERCENT // of} %")

    return tell


def _told_rows(table: str, rows: int) -> None:
    if sys.stderr.isatty():
        say_aside(f"{table}: {rows:,} rows")
