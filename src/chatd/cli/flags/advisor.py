"""`chatd advisor`."""

import click

from chatd.cli.flags.options import EFFORTS, Commands, as_json, of_a_server
from chatd.cli.lazy import load


@click.group(cls=Commands)
def advisor() -> None:
    """See and set up the second model that agents can ask."""


@advisor.command(name="show")
@of_a_server
@as_json
def advisor_show(**given: object) -> None:
    """Show whether agents have an advisor, and which."""
    load("catalog.advisor", "show")(**given)


@advisor.command(name="set")
@of_a_server
@click.option("--on/--off", "enabled", default=None, help="Whether agents have an advisor.")
@click.option("--model", metavar="NAME", help="provider/model, or `chat` for the model of each chat.")
@click.option(
    "--effort",
    "reasoning_effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help="How hard that model thinks.",
)
@click.option(
    "--uses",
    "max_uses_per_turn",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="How often an agent may ask in one turn; 0: as often as it likes.",
)
@click.option(
    "--output-tokens",
    "max_output_tokens",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="How long one advice may be; 0: the usual length.",
)
@click.option(
    "--for-children/--not-for-children",
    "for_children",
    default=None,
    help="Whether agents that work for other agents have it too.",
)
@as_json
def advisor_set(**given: object) -> None:
    """Give agents an advisor, or take it away; for administrators.

    What is not named stays as it is. A change counts from the next turn of each chat on.
    """
    load("catalog.advisor", "set_")(**given)
