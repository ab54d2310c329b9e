"""Commands for one chat, and for a list of them."""

import click

from chatd.cli.flags.options import IDS, as_json, of_a_server
from chatd.cli.lazy import load


@click.command()
@of_a_server
@click.option(
    "--limit",
    type=click.IntRange(1, 200),
    metavar="NUMBER",
    help="How many at most. Default: 50.",
)
@click.option("--children", metavar="ID", help="List the chats that work for this one instead.")
@click.option("--archived", is_flag=True, help="List archived chats instead.")
@click.option("--shared", is_flag=True, help="List chats of others that are shared with you instead.")
@click.option(
    "--search", metavar="WORDS", help="Only chats with all these words in one message or in the title."
)
@click.option("--title", metavar="TEXT", help="Only chats with this in their title.")
@click.option(
    "--label",
    "labels",
    metavar="KEY:VALUE",
    multiple=True,
    help="Only chats with this label; may be given several times.",
)
@as_json
def ls(**given: object) -> None:
    """List your chats: ID, status, when it last changed, title."""
    load("chats.ls")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--only", is_flag=True, help="Let the chats that work for it go on.")
@as_json
def interrupt(**given: object) -> None:
    """Stop the agent of a chat, and those that work for it. What they have said is kept."""
    load("chats.interrupt")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("title", metavar="[TITLE]", required=False)
@click.option("--regenerate", is_flag=True, help="Have a model find a title, instead of the one it has.")
@click.option("--propose", is_flag=True, help="Have a model find a title, and only print it.")
@as_json
def title(**given: object) -> None:
    """Print the title of a chat, or give it another one."""
    load("chats.title")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--refresh", is_flag=True, help="Read the workspace anew, and tell the agent.")
@as_json
def context(**given: object) -> None:
    """Show what an agent is told of its workspace.

    Instruction files and skills are pinned to the chat at its first turn, so what it is told stays
    the same. A file that is too large, or cannot be used, is listed with the reason.
    """
    load("chats.chat_context")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@as_json
def prompt(**given: object) -> None:
    """Show what an agent is told before all that was said.

    That is the system prompt as it would be sent now, part by part, and the tools that the agent has, each
    with its size in tokens. The words of the deployment are shown to administrators only.
    """
    load("chats.prompt")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("message_id", metavar="[MESSAGE]", type=click.IntRange(min=1), required=False)
@click.option("--file", metavar="PATH", help="Only this file in the workspace.")
@click.option("--undo", is_flag=True, help="Take the last restore back; twice restores again.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
def restore(**given: object) -> None:
    """Bring files back as they were before a message.

    MESSAGE is the number of a message; without one it is your last message, so that what the agent did since
    is undone. Without --file everything that is kept of the workspace goes back, also what others have
    changed there. What would be done is shown, and you are asked; without a terminal, --yes is needed. Ends
    with 1 when some of it could not be done.
    """
    load("chats.restore")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("message_id", metavar="[MESSAGE]", type=click.IntRange(min=1), required=False)
@click.option("--file", metavar="PATH", help="Only of this file in the workspace.")
@as_json
def diff(**given: object) -> None:
    """Show what the agent has changed in files.

    From before MESSAGE to before your next one, or to now. Without MESSAGE, since your last message.
    """
    load("chats.diff")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option(
    "--format",
    type=click.Choice(["json", "markdown"]),
    default="json",
    help="`json` can be imported again, `markdown` is for people. Default: json.",
)
@click.option("-o", "--output", metavar="FILE", help="Where to. Default: the standard output.")
def export(**given: object) -> None:
    """Write a chat to a file."""
    load("chats.export")(**given)


@click.command(name="import")
@of_a_server
@click.argument("file", metavar="FILE")
@as_json
def import_(**given: object) -> None:
    """Make a new chat from an exported one.

    FILE is what `chatd export` has written as JSON, or - for the standard input.

    The new chat is yours and at rest, with what people saw in the old one. Times and counts of tokens begin
    anew, summaries for the model are left out, and a file that you do not have is only named.
    """
    load("chats.import_")(**given)
