"""Flags that several commands take, and the values that these can have."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

# As `Effort` has them; a test compares.
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

# Longer than any sentence with which the help of a command begins.
SENTENCE_MAX = 200

Command = TypeVar("Command", bound=Callable[..., Any])

# Below the help of every command that takes an ID.
IDS = "`chatd ls` lists your chats with their IDs. The beginning of an ID will do, from 4 characters on."


class Commands(click.Group):
    """A group that lists what its commands do in whole sentences: click cuts them at the end of a line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        listed = sorted(self.commands.items())
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(SENTENCE_MAX)) for name, each in listed])


data_dir = click.option(
    "--data-dir",
    metavar="DIR",
    help="Where the server on this machine keeps its data. Default: ~/.local/share/chatd.",
)
config = click.option(
    "--config",
    metavar="FILE",
    help="The settings file. Default: ~/.config/chatd/chatd.toml, if there is one.",
)
database_url = click.option(
    "--database-url",
    metavar="URL",
    help="sqlite:///path or postgresql://… Default: SQLite in the data directory.",
)
url = click.option(
    "--url", metavar="URL", help="The server. Default: $CHATD_URL, or the one on this machine."
)
token = click.option(
    "--token", metavar="TOKEN", help="Your token. Default: $CHATD_TOKEN, or the one in the data directory."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
model_name = click.option(
    "--model",
    metavar="NAME",
    help="The model from this message on, as provider/model. `chatd model ls` lists them.",
)
effort = click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help=f"How hard the model thinks: {', '.join(EFFORTS)}.",
)

workspace = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(resolve_path=True),
    help="Where the agent of a new chat works. Default: the workspace of the server.",
)


def of_a_server(command: Command) -> Command:
    """What every command that talks to a server takes."""
    for option in (config, data_dir, token, url):
        command = option(command)
    return command


MOMENT_EXAMPLE = "2027-01-31T12:00:00Z"


class Moment(click.ParamType[str]):
    """With a zone, so that nobody has to guess whose noon is meant. Passed on as it was typed."""

    name = "moment"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.fail(f"{value!r} is no moment. Write it like {MOMENT_EXAMPLE}.", param, ctx)
        return value
