"""`chatd serve` and what an operator runs beside it."""

from pathlib import Path

import click

from chatd.cli.flags.options import IDS, Command, as_json, config, data_dir, database_url, token, url
from chatd.cli.lazy import load

# structlog would import these, for tracebacks and for the context of greenlets, which there are none of.
UNUSED = ("rich", "greenlet")


def of_a_process(command: Command) -> Command:
    """What `serve` and `worker` both take."""
    host = click.option("--host", metavar="ADDRESS", help="The address to listen on. Default: 127.0.0.1.")
    port = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        metavar="NUMBER",
        help="The port. Default: 8787; 0 takes a free one.",
    )
    workspace = click.option(
        "--workspace", metavar="DIR", help="A directory in which agents may read, change and run things."
    )
    for option in (workspace, database_url, config, data_dir, port, host):
        command = option(command)
    return command


@click.command()
@of_a_process
@click.option(
    "--no-worker",
    "worker",
    flag_value=False,
    default=None,
    help="Only answer requests, and run no agents.",
)
def serve(**flags: object) -> None:
    """Run the server, until Ctrl-C.

    It prints its address when it is ready, and a link that signs a browser in. At the first start it makes
    its data directory, with a token for the user `admin` that the other commands on this machine find by
    themselves.
    """
    load("operate.serve", without=UNUSED)(flags)


@click.command()
@of_a_process
def worker(**flags: object) -> None:
    """Drive the chats of other servers, and answer no requests.

    For a fleet on one PostgreSQL: `chatd serve` answers people there, with or without --no-worker. At its
    own address a worker answers /healthz, /readyz and /metrics. Ctrl-C ends it, and hands its chats over.
    """
    load("operate.serve", without=UNUSED)(flags, only_works=True)


@click.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Allow everything that the agent wants to do.")
def demo(*, directory: Path | None, yes: bool) -> None:
    """Watch an agent mend a small project, on a server of its own.

    No key is needed: the scripted model, which is no AI, reads, searches, runs the tests and changes a file.
    It asks before it does what deserves asking. The project is made in DIR, or in a temporary directory.
    """
    load("operate.demo")(directory=directory, yes=yes)


@click.command()
@data_dir
@config
@database_url
@as_json
def migrate(*, as_json: bool, **flags: object) -> None:
    """Bring the database up to date. `chatd serve` does so by itself."""
    load("operate.migrate")(flags, as_json=as_json)


@click.command()
@data_dir
@config
@database_url
@as_json
def link(*, as_json: bool, **flags: object) -> None:
    """Make a link that signs a browser in.

    For the web page of the server with this data directory. It works once, and for 10 minutes. Keep it to
    yourself: it lets its holder in as `admin`.
    """
    load("operate.link")(flags, as_json=as_json)


@click.command(epilog=IDS)
@click.argument("chat_id", metavar="ID")
@data_dir
@config
@database_url
@click.option(
    "--requests",
    is_flag=True,
    help="Show what was sent to models in the newest turn that was recorded, and what came back.",
)
@as_json
def show(chat_id: str, *, requests: bool, as_json: bool, **flags: object) -> None:
    """Show all that is stored of one chat.

    Also what is being said in it right now. Reads the database itself, whether or not a server is running.
    """
    load("operate.requests" if requests else "operate.show")(chat_id, flags, as_json=as_json)


@click.command()
@data_dir
@config
@database_url
@url
@token
@click.option(
    "--providers",
    is_flag=True,
    help="Also have a model of each provider say a word, which it may charge for.",
)
@as_json
def doctor(*, providers: bool, as_json: bool, **flags: object) -> None:
    """Find out what is wrong, and what to do.

    Checks the settings, the data directory, the database, the server and the token. Ends with 1 when
    something is wrong.
    """
    load("operate.doctor")(flags, providers=providers, as_json=as_json)
