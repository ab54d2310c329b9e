"""The commands and their flags, on one screen.

A command imports what it needs when it runs, so that `chatd --help` needs nothing.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import click

import chatd
from chatd.errors import ChatdError, Misconfigured

FAILED, MISUSED = 1, 2

data_dir = click.option("--data-dir", metavar="DIR", help="The directory for the database and the token.")
config = click.option(
    "--config", metavar="FILE", help="The settings file. Default: chatd.toml, if there is one."
)
database_url = click.option("--database-url", metavar="URL", help="sqlite:///path or postgresql://…")
as_json = click.option("--json", "as_json", is_flag=True, help="For scripts.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(chatd.__version__, prog_name="chatd")
def commands() -> None:
    """A server for durable AI agent chats."""


@commands.command()
@click.option("--host", help="The address to listen on. Default: 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port. Default: 8787; 0 takes a free one.")
@data_dir
@config
@database_url
def serve(**flags: object) -> None:
    """Run the server."""
    _run("serve")(flags)


@commands.command()
@data_dir
@config
@database_url
@as_json
def migrate(*, as_json: bool, **flags: object) -> None:
    """Bring the database up to date. `chatd serve` does so by itself."""
    _run("migrate")(flags, as_json=as_json)


@commands.command()
@click.argument("chat_id", metavar="ID")
@data_dir
@config
@database_url
@as_json
def show(chat_id: str, *, as_json: bool, **flags: object) -> None:
    """Show all that is stored of one chat. Works beside a running server."""
    _run("show")(chat_id, flags, as_json=as_json)


def _run(command: str) -> Callable[..., Any]:
    run: Callable[..., Any] = importlib.import_module(f"chatd.cli.{command}").run
    return run


def main() -> None:
    """What went wrong is told in a sentence. A traceback means a mistake of ours."""
    try:
        commands(prog_name="chatd")
    except ChatdError as error:
        click.echo(f"chatd: {error}", err=True)
        sys.exit(MISUSED if isinstance(error, Misconfigured) else FAILED)
