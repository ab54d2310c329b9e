"""`chatd send`, `chatd watch` and `chatd chat`."""

import click

from chatd.cli.flags.options import IDS, effort, model_name, of_a_server, workspace
from chatd.cli.lazy import load, unused_without_tls


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID|--new", required=False)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--new", "is_new", is_flag=True, help="Start a chat; then there is no ID.")
@click.option(
    "--temporary",
    is_flag=True,
    help="With --new: a chat that is not listed, and is removed an hour after its last turn.",
)
@workspace
@model_name
@effort
@click.option(
    "--instructions",
    metavar="TEXT",
    help="A system prompt for this chat from now on; an empty one clears it.",
)
@click.option(
    "--plan/--no-plan", default=None,
    help="From now on the agent proposes a plan, and changes nothing else; or does what it is asked again.",
)  # fmt: skip
@click.option(
    "--mcp", "mcp_servers", metavar="SLUG", multiple=True,
    help="Use this MCP server from now on, instead of the default ones; may be given several times.",
)  # fmt: skip
@click.option(
    "--file", "files", metavar="FILE", multiple=True, help="Attach a file; may be given several times."
)
@click.option(
    "--when",
    type=click.Choice(["queue", "steer", "interrupt"]),
    help="When a busy agent hears it: after its turn, after its next step, or now.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print events as lines of JSON; the last tells the end."
)
def send(**given: object) -> None:
    """Say something, and print the answer as it comes.

    \b
    chatd send --new "Name three planets."    starts a chat, and prints its ID too
    chatd send ID "And their moons?"          goes on in that chat
    git diff | chatd send --new               says what is on the standard input

    Ends with 0 when the agent has finished, 3 when it failed or answered with nothing, 4 when it waits for a
    person or a client, and 5 when it was interrupted. Ctrl-C stops the waiting and not the agent.
    """  # noqa: D301 - click leaves lines below it as they are
    load("talk.send", without=unused_without_tls(given["url"]))(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print events as lines of JSON.")
def watch(**given: object) -> None:
    """Print what happens in a chat, until you stop it with Ctrl-C."""
    load("talk.watch", without=unused_without_tls(given["url"]))(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="[ID]", required=False)
@workspace
@model_name
@effort
@click.option("--continue", "-c", "newest", is_flag=True, help="Go on in your newest chat.")
@click.option("--plan", is_flag=True, help="The agent proposes a plan first, and changes nothing until then.")
def chat(**given: object) -> None:
    """Talk in the terminal; without an ID, in a new chat.

    Ctrl-C stops the agent, twice within two seconds leaves. `/help` lists what else can be typed.
    """
    load("talk.chat", without=unused_without_tls(given["url"]))(**given)
