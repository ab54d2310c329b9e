"""`chatd share`, `chatd unshare`, `chatd transfer` and `chatd mark`."""

import click

from chatd.cli.flags.options import MOMENT_EXAMPLE, Moment, as_json, of_a_server
from chatd.cli.lazy import load

# As `Keep` and `Included` have them; a test compares.
KEPT = ("writer", "reader", "nothing")
INCLUDED = ("reasoning", "tools", "files")


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--write", is_flag=True, help="They may send messages too. You pay for that.")
@click.option("--group", is_flag=True, help="NAME is that of a group.")
@click.option("--everyone", is_flag=True, help="With everyone who is signed in; without NAME.")
@click.option(
    "--until", type=Moment(), metavar="MOMENT", help=f"When it ends by itself, such as {MOMENT_EXAMPLE}."
)
@click.option("--link", is_flag=True, help="Make a link with which anybody reads it; without NAME.")
@click.option("--days", type=click.IntRange(1, 90), help="When the link ends by itself; 7 by default.")
@click.option("--live", is_flag=True, help="With the link, guests see what is said from now on, too.")
@click.option("--include", type=click.Choice(INCLUDED), multiple=True, help="What they see beside words.")
@click.option("--links", is_flag=True, help="List its public links; without NAME.")
@as_json
def share(
    *, link: bool, links: bool, days: int | None, live: bool, include: tuple[str, ...], **given: object
) -> None:
    """Share a chat; without a NAME, list with whom it is shared."""
    of_grants = [name for name in ("name", "write", "group", "everyone", "until") if given[name]]
    if (link or links) and of_grants:
        raise click.UsageError("--link and --links go without a NAME and what is said of one.")
    if (days or live or include) and not link:
        raise click.UsageError("--days, --live and --include are said of a --link.")
    if link:
        load("chats.public_links", "make")(days=days, live=live, include=include, **given)
    elif links:
        load("chats.public_links", "list_")(**given)
    else:
        load("chats.share", "share")(**given)


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--group", is_flag=True, help="NAME is that of a group.")
@click.option("--everyone", is_flag=True, help="With everyone who is signed in; without NAME.")
@click.option("--link", metavar="LINK", help="End a public link; `chatd share ID --links` lists them.")
def unshare(*, link: str | None, **given: object) -> None:
    """Share a chat with somebody no more."""
    if link is None:
        load("chats.share", "unshare")(**given)
    elif given["name"] or given["group"] or given["everyone"]:
        raise click.UsageError("--link goes without a NAME.")
    else:
        load("chats.public_links", "end")(link=link, **given)


@click.command()
@of_a_server
@click.argument("chat_id", metavar="[ID]", required=False)
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--keep", type=click.Choice(KEPT), default="nothing", help="What you may do with it then.")
@click.option("--reason", default="", metavar="TEXT", help="As an administrator: hand it over at once.")
@click.option("--accept", is_flag=True, help="Accept a chat that is offered to you.")
@click.option("--decline", is_flag=True, help="Decline it.")
@click.option("--withdraw", is_flag=True, help="Take your offer back.")
@as_json
def transfer(**given: object) -> None:
    """Offer a chat to another user; without an ID, list what is offered to you."""
    load("chats.transfer")(**given)


@click.command()
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--read/--unread", default=None, help="Whether you have read it.")
@click.option("--pin/--unpin", default=None, help="Whether it stands on top of your list.")
@click.option("--mute/--unmute", default=None, help="Whether you want to be told nothing of it.")
@as_json
def mark(**given: object) -> None:
    """Mark a chat as read, pinned or muted, for yourself.

    Also one that is shared with you. Nobody else sees it.
    """
    load("chats.mark")(**given)
