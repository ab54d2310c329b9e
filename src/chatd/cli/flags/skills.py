"""`chatd skill`."""

import click

from chatd.cli.flags.options import Commands, as_json, of_a_server
from chatd.cli.lazy import load


@click.group(cls=Commands)
def skill() -> None:
    """See, add and remove skills of your own.

    A skill is a text with instructions for one kind of task, which agents read when they have such a task.
    Yours can be read in all of your chats. A workspace may have skills too; `chatd context ID` lists them.
    """


@skill.command(name="ls")
@of_a_server
@as_json
def skill_ls(**given: object) -> None:
    """List your skills."""
    load("catalog.skill", "ls")(**given)


@skill.command(name="add")
@of_a_server
@click.argument("file", metavar="FILE")
@click.option("--replace", is_flag=True, help="Replace the skill of this name, if there is one.")
@as_json
def skill_add(**given: object) -> None:
    """Add a skill.

    FILE is a `SKILL.md`, the directory of one, or - for the standard input. It begins with its name, in small
    letters, and what it is about:

    \b
    ---
    name: review-code
    description: How I want code to be reviewed.
    ---
    Begin with the tests.
    """  # noqa: D301 - click leaves lines below it as they are
    load("catalog.skill", "add")(**given)


@skill.command(name="show")
@of_a_server
@click.argument("name", metavar="NAME")
@as_json
def skill_show(**given: object) -> None:
    """Print a skill."""
    load("catalog.skill", "show")(**given)


@skill.command(name="rm")
@of_a_server
@click.argument("name", metavar="NAME")
def skill_rm(**given: object) -> None:
    """Remove a skill."""
    load("catalog.skill", "rm")(**given)
