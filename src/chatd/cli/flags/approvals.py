"""Commands for what people decide."""

import click

from chatd.cli.flags.options import IDS, Command, as_json, of_a_server
from chatd.cli.lazy import load

# As `ApprovalScope` has them; a test compares.
APPROVAL_SCOPES = ("once", "chat", "always")


def _decides(command: Command) -> Command:
    """What an answer to a call that needs approval takes."""
    for option in (
        as_json,
        click.option("--reason", metavar="TEXT", help="Why; the model reads the reason of a denial."),
        click.option(
            "--scope", type=click.Choice(APPROVAL_SCOPES), default="once", metavar="SCOPE",
            help="Which calls: once (this one), chat (such calls of this chat), or always. Default: once.",
        ),
        click.option("--all", "all_", is_flag=True, help="All calls of the chat that need approval."),
        click.option(
            "--call", "call_ids", metavar="CALL", multiple=True,
            help="Which one, if several need approval; may be given several times.",
        ),
        click.argument("chat_id", metavar="ID"),
        of_a_server,
    ):  # fmt: skip
        command = option(command)
    return command


@click.command(epilog=IDS)
@_decides
def approve(**given: object) -> None:
    """Allow a call for which the agent waits.

    `chatd show ID` shows what the call would do, and `chatd rules ls` what is allowed already.
    """
    load("approvals.decide", "approve")(**given)


@click.command(epilog=IDS)
@_decides
def deny(**given: object) -> None:
    """Do not allow a call for which the agent waits. It goes on, and reads why."""
    load("approvals.decide", "deny")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("words", metavar="[ANSWER]...", nargs=-1)
@click.option("--skip", is_flag=True, help="Leave all questions unanswered; the agent decides itself.")
@click.option("--call", "call_id", metavar="CALL", help="Which call, if several wait for an answer.")
@as_json
def answer(**given: object) -> None:
    """Answer the questions of an agent.

    One ANSWER for each question, in their order: the number or the label of an option, or other words.
    `chatd show ID` shows what is asked.
    """
    load("approvals.answer")(**given)


@click.command(epilog=IDS)
@of_a_server
@click.argument("chat_id", metavar="ID")
@click.option(
    "--version", type=click.IntRange(min=1), metavar="N", help="Show this one. Default: the newest."
)
@click.option("--diff", is_flag=True, help="Show how it differs from the version before.")
@click.option("--all", "all_", is_flag=True, help="List all versions.")
@click.option("--accept", is_flag=True, help="Accept the plan that waits; the agent carries it out.")
@click.option("--revise", metavar="TEXT", help="Have it changed; the agent reads the text.")
@click.option("--decline", is_flag=True, help="Decline it. The agent stops.")
@as_json
def plan(**given: object) -> None:
    """Show a plan that an agent proposes, or decide on it.

    `chatd send --new --plan TEXT` starts a chat that plans.
    """
    load("approvals.plan")(**given)
