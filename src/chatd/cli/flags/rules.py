"""`chatd rules`."""

import click

from chatd.cli.flags.options import Commands, as_json, of_a_server
from chatd.cli.lazy import load

# As `Verdict` has them; a test compares.
VERDICTS = ("allow", "ask", "deny")

of_chat = click.option("--chat", metavar="ID", help="Of this chat. Default: of all your chats.")


@click.group(cls=Commands)
def rules() -> None:
    """See, add, move and remove rules for what agents may do."""


@rules.command(name="ls")
@of_a_server
@of_chat
@as_json
def rules_ls(**given: object) -> None:
    """List the rules in the order in which they are tried: the first that fits decides."""
    load("approvals.rules", "ls")(**given)


@rules.command(name="add")
@of_a_server
@click.argument("verdict", metavar="VERDICT", type=click.Choice(VERDICTS))
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option("--tool", metavar="NAME", help="Of this tool. Default: execute if there are words, else any.")
@click.option(
    "--path", "paths", metavar="PATTERN", multiple=True, help="For these files; may be given several times."
)
@click.option(
    "--host", "hosts", metavar="PATTERN", multiple=True,
    help="For these hosts on the internet; may be given several times.",
)  # fmt: skip
@click.option("--workspace", metavar="DIR", default="", help="In this workspace alone.")
@click.option(
    "--position", type=click.IntRange(0, 200), metavar="NUMBER", default=0,
    help="Its place among your rules, or those of the chat. Default: 0, the first.",
)  # fmt: skip
@of_chat
@as_json
def rules_add(**given: object) -> None:
    """Add a rule: VERDICT is allow, ask or deny.

    \b
    chatd rules add allow -- git status '*'
    chatd rules add deny --tool write_file --path 'docs/**'
    chatd rules add ask --tool 'github__*'
    chatd rules add allow --tool fetch_url --host docs.python.org

    The WORDs are those of one program, each a pattern; a '*' at the end stands for any further words.
    """  # noqa: D301 - click leaves lines below it as they are
    load("approvals.rules", "add")(**given)


@rules.command(name="move")
@of_a_server
@click.argument("rule_id", metavar="RULE")
@click.argument("position", metavar="POSITION", type=click.IntRange(0, 200))
@of_chat
@as_json
def rules_move(**given: object) -> None:
    """Move a rule to a POSITION; 0 is the first."""
    load("approvals.rules", "move")(**given)


@rules.command(name="rm")
@of_a_server
@click.argument("rule_id", metavar="RULE")
@of_chat
def rules_rm(**given: object) -> None:
    """Remove a rule."""
    load("approvals.rules", "rm")(**given)
