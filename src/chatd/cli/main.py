"""The commands and their flags, on one screen.

A command imports what it needs when it runs, so that `chatd --help` needs nothing.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

import chatd
from chatd.errors import ChatdError, Misconfigured, Unavailable

FAILED, MISUSED = 1, 2

# As `ProviderType` and `Effort` have them; a test compares.
TYPES = (
    "anthropic", "openai", "openai-compatible", "azure", "openrouter", "vercel", "google", "bedrock",
    "ollama", "scripted",
)  # fmt: skip
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

Command = TypeVar("Command", bound=Callable[..., Any])

data_dir = click.option("--data-dir", metavar="DIR", help="The directory for the database and the token.")
config = click.option(
    "--config",
    metavar="FILE",
    help="The settings file. Default: ~/.config/chatd/chatd.toml, if there is one.",
)
database_url = click.option("--database-url", metavar="URL", help="sqlite:///path or postgresql://…")
url = click.option(
    "--url", metavar="URL", help="The server. Default: $CHATD_URL, or the one on this machine."
)
token = click.option(
    "--token", metavar="TOKEN", help="Your token. Default: $CHATD_TOKEN, or the one in the data directory."
)
as_json = click.option("--json", "as_json", is_flag=True, help="For scripts.")
effort = click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help=f"How hard the model thinks: {', '.join(EFFORTS)}.",
)


def _with_a_key(command: Command) -> Command:
    """Where the key of a provider is."""
    for option in (
        click.option("--no-key", is_flag=True, help="The provider needs no key."),
        click.option("--key-file", metavar="FILE", help="Take the key from this file."),
        click.option("--key-env", metavar="VARIABLE", help="Take the key from this environment variable."),
    ):
        command = option(command)
    return command


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
@click.option(
    "--no-worker", "worker", flag_value=False, default=None, help="Answer requests, drive no chats."
)
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
    """Show all that is stored of one chat. The beginning of an ID will do. Works beside a running server."""
    _run("show")(chat_id, flags, as_json=as_json)


@commands.command()
@data_dir
@config
@database_url
@url
@token
@click.option("--providers", is_flag=True, help="Also have a model of each provider say a word.")
@as_json
def doctor(*, providers: bool, as_json: bool, **flags: object) -> None:
    """Check the settings, the data directory, the database and the server, and say what to do."""
    _run("doctor")(flags, providers=providers, as_json=as_json)


def _of_a_server(command: Command) -> Command:
    """What every command that talks to a server takes."""
    for option in (config, data_dir, token, url):
        command = option(command)
    return command


@commands.command()
@_of_a_server
@click.option("--limit", type=click.IntRange(1, 200), default=50, help="How many at most. Default: 50.")
@click.option("--archived", is_flag=True, help="Those in the archive instead.")
@click.option("--title", help="Only those with this in their title.")
@click.option("--label", "labels", metavar="KEY:VALUE", multiple=True, help="Only those with this label.")
@as_json
def ls(**given: object) -> None:
    """List your chats."""
    _run("ls")(**given)


@commands.command()
@_of_a_server
@click.argument("chat_id", metavar="[ID]", required=False)
@click.argument("text", required=False)
@click.option("--new", "is_new", is_flag=True, help="Start a chat; then there is no ID.")
@click.option("--model", metavar="NAME", help="provider/model, from now on. `chatd model ls` lists them.")
@effort
@click.option(
    "--file", "files", metavar="FILE", multiple=True, help="Attach a file; may be given several times."
)
@click.option(
    "--when",
    type=click.Choice(["queue", "steer", "interrupt"]),
    help="When a busy agent hears it: after its turn, after its next step, or now.",
)
@as_json
def send(**given: object) -> None:
    """Say TEXT, or what is on the standard input, and print the answer.

    Ends with 0 when the agent has finished, 3 when it failed, 4 when it waits for a person or a client, and
    5 when it was interrupted. Ctrl-C stops the waiting and not the agent.
    """
    _run("send")(**given)


@commands.command()
@_of_a_server
@click.argument("chat_id", metavar="ID")
@as_json
def watch(**given: object) -> None:
    """Print what happens in a chat, until you stop it with Ctrl-C."""
    _run("watch")(**given)


@commands.command()
@_of_a_server
@click.argument("chat_id", metavar="ID")
@as_json
def interrupt(**given: object) -> None:
    """Stop the agent. What it has said is kept."""
    _run("interrupt")(**given)


@commands.command()
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--format", type=click.Choice(["json", "markdown"]), default="json", help="Default: json.")
@click.option("-o", "--output", metavar="FILE", help="Where to. Default: the standard output.")
def export(**given: object) -> None:
    """Write a chat to a file. The JSON can be imported again."""
    _run("export")(**given)


@commands.command(name="import")
@_of_a_server
@click.argument("file", metavar="FILE")
@as_json
def import_(**given: object) -> None:
    """Make a new chat with the history of an exported one. FILE may be - for the standard input."""
    _run("import_")(**given)


@commands.command()
@_of_a_server
@click.argument("chat_id", metavar="[ID]", required=False)
@click.option("--model", metavar="NAME", help="provider/model, from now on. `chatd model ls` lists them.")
@effort
def chat(**given: object) -> None:
    """Talk in the terminal; without an ID, in a new chat."""
    _run("chat")(**given)


@commands.group()
def model() -> None:
    """See, add and try out models."""


@model.command(name="ls")
@_of_a_server
@as_json
def model_ls(**given: object) -> None:
    """List the models: the tokens each can hold, and the price of a million of them, in and out.

    Prices are in US dollars where they are publicly known, else as an administrator has set them.
    """
    _run("model", "ls")(**given)


@model.command(name="add")
@_of_a_server
@click.argument("provider", metavar="PROVIDER")
@click.argument("model", metavar="MODEL")
@click.option(
    "--type", "type_", type=click.Choice(TYPES), metavar="TYPE",
    help=f"Of a new provider that is not called like its type: {', '.join(TYPES)}.",
)  # fmt: skip
@click.option("--base-url", metavar="URL", help="Where a new provider is, if not at its usual address.")
@_with_a_key
@click.option(
    "--context-limit",
    type=click.IntRange(min=1),
    help="In tokens. Default: what is publicly known of it, or else 128,000.",
)
@click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help="How hard it thinks unless a message says otherwise. Without this, messages cannot say it.",
)
@click.option("--default", "is_default", is_flag=True, help="New chats use it unless told otherwise.")
@as_json
def model_add(**given: object) -> None:
    """Add the MODEL of a PROVIDER, and the provider if it is new.

    The key of a new provider is asked for and not shown, unless one of the options says where it is.
    """
    _run("model", "add")(**given)


@model.command(name="test")
@_of_a_server
@click.argument("name", metavar="[NAME]", required=False)
@as_json
def model_test(**given: object) -> None:
    """Have a model say a word; without a NAME, the default one. Ends with 1 when it cannot."""
    _run("model", "test")(**given)


@model.command(name="rm")
@_of_a_server
@click.argument("name", metavar="NAME")
def model_rm(**given: object) -> None:
    """Remove the model NAME, or a provider of that NAME with its key and all of its models."""
    _run("model", "rm")(**given)


@model.command(name="key")
@_of_a_server
@click.argument("provider", metavar="PROVIDER")
@_with_a_key
def model_key(**given: object) -> None:
    """Give a PROVIDER another key. It is asked for and not shown, unless an option says where it is."""
    _run("model", "key")(**given)


@model.command(name="forget-keys")
@data_dir
@config
@database_url
def model_forget_keys(**flags: object) -> None:
    """Remove the providers' keys that this server cannot read, because its secret key was lost."""
    _run("forget_keys")(flags)


def _run(command: str, deed: str = "run") -> Callable[..., Any]:
    run: Callable[..., Any] = getattr(importlib.import_module(f"chatd.cli.{command}"), deed)
    return run


def main() -> None:
    """What went wrong is told in a sentence. A traceback means a mistake of ours."""
    try:
        commands(prog_name="chatd")
    except (ChatdError, Unavailable) as error:
        click.echo(f"chatd: {_run('advice', 'sentence')(error)}", err=True)
        sys.exit(MISUSED if isinstance(error, Misconfigured) else FAILED)
