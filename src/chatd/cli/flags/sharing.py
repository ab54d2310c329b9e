"""`chatd share`, `chatd unshare` and `chatd transfer`."""

import click

from chatd.cli.flags.options import as_json, of_a_server
from chatd.cli.lazy import load

# As `Keep` has them; a test compares.
KEPT = ("writer", "reader", "nothing")


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("name", metavar="NAME", required=False)
@click.option("--write", is_flag=True, help="They may send messages too. You pay for that.")
@click.option("--group", is_flag=True, help="NAME is that of a group.")
@click.option("--everyone", is_flag=True, help="With everyone who is signed in; without NAME.")
@click.option("--until", metavar="MOMENT", help="When it ends by itself, such as 2027-01-31T12:00:00Z.")
@as_json
def share(**given: object) -> None:
    """Share a chat; without a NAME, list with whom it is shared."""
    load("chats.share", "share")(**given)


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("name", metavar="NAME", required=False)
@click.option("--group", is_flag=True, help="NAME is that of a group.")
@click.option("--everyone", is_flag=True, help="With everyone who is signed in; without NAME.")
def unshare(**given: object) -> None:
    """Share a chat with somebody no more."""
    load("chats.share", "unshare")(**given)


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID", required=False)
@click.argument("name", metavar="NAME", required=False)
@click.option("--keep", type=click.Choice(KEPT), default="nothing", help="What you may do with it then.")
@click.option("--reason", default="", metavar="TEXT", help="As an administrator: hand it over at once.")
@click.option("--accept", is_flag=True, help="Accept a chat that is offered to you.")
@click.option("--decline", is_flag=True, help="Decline it.")
@click.option("--withdraw", is_flag=True, help="Take your offer back.")
@as_json
def transfer(**given: object) -> None:
    """Offer a chat to another user; without an ID, list what is offered to you."""
    load("chats.transfer")(**given)
