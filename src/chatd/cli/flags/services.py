"""`chatd group` and `chatd service`."""

from collections.abc import Callable
from typing import Any

import click

from chatd.cli.flags.options import Commands, as_json, of_a_server
from chatd.cli.flags.people import LEAVING, ROLES, days, scopes
from chatd.cli.lazy import load

# As `ActsFor` has them; a test compares.
ACTS_FOR = ("nobody", "end_users", "group")
END_USERS_MAX = 100_000


@click.group(cls=Commands)
def group() -> None:
    """See, make and fill groups of users, as an administrator."""


@group.command(name="ls")
@of_a_server
@as_json
def group_ls(**given: object) -> None:
    """List groups: name, how many are in it, who says so."""
    load("people.groups", "ls")(**given)


@group.command(name="add")
@of_a_server
@click.argument("name", metavar="GROUP")
@as_json
def group_add(**given: object) -> None:
    """Make a group."""
    load("people.groups", "add")(**given)


@group.command(name="rename")
@of_a_server
@click.argument("name", metavar="GROUP")
@click.argument("to", metavar="NAME")
def group_rename(**given: object) -> None:
    """Give a group another name."""
    load("people.groups", "rename")(**given)


@group.command(name="rm")
@of_a_server
@click.argument("name", metavar="GROUP")
def group_rm(**given: object) -> None:
    """Delete a group, with all that was shared with it."""
    load("people.groups", "rm")(**given)


@group.command(name="members")
@of_a_server
@click.argument("name", metavar="GROUP")
@as_json
def group_members(**given: object) -> None:
    """List who is in a group."""
    load("people.groups", "members")(**given)


@group.command(name="join")
@of_a_server
@click.argument("name", metavar="GROUP")
@click.argument("user", metavar="USER")
def group_join(**given: object) -> None:
    """Put a user into a group."""
    load("people.groups", "join")(**given)


@group.command(name="leave")
@of_a_server
@click.argument("name", metavar="GROUP")
@click.argument("user", metavar="USER")
def group_leave(**given: object) -> None:
    """Take a user out of a group."""
    load("people.groups", "leave")(**given)


@click.group(cls=Commands)
def service() -> None:
    """See, add and change services: programs with tokens of their own."""


def _of_a_service(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        (
            click.option("--role", type=click.Choice(ROLES), help="What it may do itself; at first member."),
            click.option("--name", "display_name", metavar="TEXT", help="How it is shown to others."),
            click.option(
                "--acts-for", type=click.Choice(ACTS_FOR), help="For whom it may speak; at first nobody."
            ),
            click.option("--group", metavar="GROUP", help="For people of this group."),
            click.option(
                "--end-users-max",
                type=click.IntRange(0, END_USERS_MAX),
                help="For how many end users it may speak; at first 100,000.",
            ),
        )
    ):
        command = option(command)
    return command


@service.command(name="ls")
@of_a_server
@as_json
def service_ls(**given: object) -> None:
    """List services: role, for whom they speak, how many end users they have."""
    load("people.services", "ls")(**given)


@service.command(name="add")
@of_a_server
@click.argument("name", metavar="SERVICE")
@_of_a_service
@as_json
def service_add(**given: object) -> None:
    """Add a service. It has no token yet."""
    load("people.services", "add")(**given)


@service.command(name="set")
@of_a_server
@click.argument("name", metavar="SERVICE")
@_of_a_service
def service_set(**given: object) -> None:
    """Change for whom a service speaks, its role, or how it is shown."""
    load("people.services", "change")(**given)


@service.command(name="token")
@of_a_server
@click.argument("name", metavar="SERVICE")
@click.argument("label", metavar="NAME")
@scopes
@days
@as_json
def service_token(**given: object) -> None:
    """Make a token for a service, and print it: it is shown once."""
    load("people.services", "token")(**given)


@service.command(name="end-users")
@of_a_server
@click.argument("name", metavar="SERVICE")
@as_json
def service_end_users(**given: object) -> None:
    """List for whom a service has spoken."""
    load("people.services", "end_users")(**given)


@service.command(name="rm")
@of_a_server
@click.argument("name", metavar="SERVICE")
@click.option("--chats", type=click.Choice(LEAVING), required=True, help="What becomes of its chats.")
@click.option("--to", metavar="USER", help="Who gets them, with `--chats transfer`.")
def service_rm(**given: object) -> None:
    """Delete a service with its tokens and its end users."""
    load("people.services", "rm")(**given)
