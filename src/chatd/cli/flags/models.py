"""`chatd model`."""

import click

from chatd.cli.flags.options import (
    EFFORTS,
    Command,
    Commands,
    as_json,
    config,
    data_dir,
    database_url,
    of_a_server,
)
from chatd.cli.lazy import load

# As `ProviderType` has them; a test compares.
TYPES = (
    "anthropic", "openai", "openai-compatible", "azure", "openrouter", "vercel", "google", "bedrock",
    "ollama", "scripted",
)  # fmt: skip


def _with_a_key(command: Command) -> Command:
    """Where the key of a provider is."""
    for option in (
        click.option("--no-key", is_flag=True, help="The provider needs no key."),
        click.option("--key-file", metavar="FILE", help="Take the key from this file."),
        click.option("--key-env", metavar="VARIABLE", help="Take the key from this environment variable."),
    ):
        command = option(command)
    return command


@click.group(cls=Commands)
def model() -> None:
    """See, add and try out models."""


@model.command(name="ls")
@of_a_server
@as_json
def model_ls(**given: object) -> None:
    """List the models, with their sizes and prices.

    How many tokens each can hold, and the price of a million of them, in and out. Prices are in US dollars
    where they are publicly known, else as an administrator has set them.
    """
    load("catalog.model", "ls")(**given)


@model.command(name="add")
@of_a_server
@click.argument("provider", metavar="PROVIDER")
@click.argument("model", metavar="MODEL")
@click.option(
    "--type", "type_", type=click.Choice(TYPES), metavar="TYPE",
    help=f"What a new provider is, if its name is none of these: {', '.join(TYPES)}.",
)  # fmt: skip
@click.option("--base-url", metavar="URL", help="Where a new provider is, if not at its usual address.")
@click.option(
    "--allow-plain-http", is_flag=True, help="Call it without TLS, although it is not in a private network."
)
@_with_a_key
@click.option(
    "--context-limit",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="How many tokens it can hold. Default: what is publicly known of it, or else 128,000.",
)
@click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help="How hard it thinks unless a message says otherwise. Default: as it likes.",
)
@click.option("--default", "is_default", is_flag=True, help="New chats use it unless told otherwise.")
@as_json
def model_add(**given: object) -> None:
    """Add a model, and its provider if that is new.

    \b
    chatd model add anthropic claude-sonnet-4-6
    chatd model add den llama3.2 --type ollama --base-url http://192.168.0.7:11434/v1

    PROVIDER is a name of yours, or simply its type; MODEL is called as the provider calls it. Chats name the
    two of them PROVIDER/MODEL. The key of a new provider is asked for and not shown, unless one of the
    options says where it is.
    """  # noqa: D301 - click leaves lines below it as they are
    load("catalog.model", "add")(**given)


@model.command(name="test")
@of_a_server
@click.argument("name", metavar="[NAME]", required=False)
@as_json
def model_test(**given: object) -> None:
    """Have a model say a word.

    NAME is provider/model; without it, the default one is tried. Ends with 1 when it cannot.
    """
    load("catalog.model", "test")(**given)


@model.command(name="rm")
@of_a_server
@click.argument("name", metavar="NAME")
def model_rm(**given: object) -> None:
    """Remove a model, or a whole provider.

    NAME is provider/model, or a provider alone: that goes with its key and all of its models.
    """
    load("catalog.model", "rm")(**given)


@model.command(name="key")
@of_a_server
@click.argument("provider", metavar="PROVIDER")
@_with_a_key
def model_key(**given: object) -> None:
    """Give a PROVIDER another key. It is asked for and not shown, unless an option says where it is."""
    load("catalog.model", "key")(**given)


@model.command(name="threshold")
@of_a_server
@click.argument("name", metavar="NAME")
@click.argument("percent", metavar="[PERCENT]", required=False, type=click.IntRange(0, 100))
@click.option("--clear", is_flag=True, help="Take yours back: that of the model counts again.")
@as_json
def model_threshold(**given: object) -> None:
    """When your chats with a model are summarized.

    NAME is provider/model. PERCENT is from 0 to 100, and 100 means never by itself; without it, what counts
    now is shown.
    """
    load("catalog.model", "threshold")(**given)


@model.command(name="forget-keys")
@data_dir
@config
@database_url
def model_forget_keys(**flags: object) -> None:
    """Remove the keys that can no longer be read.

    The stored keys of providers are sealed with the server's own secret key. Use this when that was lost.
    """
    load("operate.forget_keys")(flags)
