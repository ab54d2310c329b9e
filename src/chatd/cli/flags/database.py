"""`chatd database`."""

from pathlib import Path

import click

from chatd.cli.flags.options import Commands, as_json, config, data_dir, database_url
from chatd.cli.lazy import load


@click.group(cls=Commands)
def database() -> None:
    """Back up, restore and move the database."""


@database.command(name="backup")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@data_dir
@config
@database_url
@as_json
def database_backup(file: Path, *, as_json: bool, **flags: object) -> None:
    """Copy an SQLite database into one FILE.

    Also while the server runs: the copy is what the database holds at one moment, and is checked. Files and
    settings are in it, but not `secret-key` of the data directory, which unseals the keys in it: keep that
    somewhere else. For PostgreSQL use `pg_dump`.
    """
    load("operate.database", "backup")(file, flags, as_json=as_json)


@database.command(name="restore")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@data_dir
@config
@database_url
@as_json
def database_restore(file: Path, *, as_json: bool, **flags: object) -> None:
    """Put such a copy in the place of the database.

    No server may run on it. What was there is kept beside it. For PostgreSQL use `pg_restore`.
    """
    load("operate.database", "restore")(file, flags, as_json=as_json)


@database.command(name="move")
@click.argument("url", metavar="URL")
@data_dir
@config
@database_url
@as_json
def database_move(url: str, *, as_json: bool, **flags: object) -> None:
    """Move everything from SQLite to PostgreSQL.

    \b
    chatd database move postgresql://chatd@db.example/chatd

    The database at URL has to be empty, and no server may run on either. All of it arrives and is compared,
    or nothing changes; the SQLite database stays as it is. A URL of - is read from the standard input, where
    no other user of this machine can see its password.
    """  # noqa: D301 - click leaves lines below it as they are
    load("operate.database", "move")(url, flags, as_json=as_json)
