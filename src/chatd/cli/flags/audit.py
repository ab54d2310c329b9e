"""`chatd audit`."""

from collections.abc import Callable
from typing import TypeVar

import click

from chatd.cli.flags.options import MOMENT_EXAMPLE, Commands, Moment, as_json, of_a_server
from chatd.cli.lazy import load

F = TypeVar("F", bound=Callable[..., None])


def _filters(command: F) -> F:
    """What is looked for."""
    for add in (
        click.option("--actor", metavar="ID", help="The id of a user who has done it."),
        click.option("--deed", metavar="DEED", help="What was done, such as user.suspend."),
        click.option("--target", metavar="ID", help="What it was done to."),
        click.option("--refused", is_flag=True, help="Only what was refused."),
        click.option(
            "--since", type=Moment(), metavar="MOMENT", help=f"Not before, such as {MOMENT_EXAMPLE}."
        ),
        click.option("--until", type=Moment(), metavar="MOMENT", help="Before."),
    ):
        command = add(command)
    return command


@click.group(cls=Commands)
def audit() -> None:
    """See, export and verify what was done on a server, as an auditor."""


@audit.command(name="ls")
@of_a_server
@_filters
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Default: 50.")
@as_json
def audit_ls(**given: object) -> None:
    """List what was done, the newest first: when, by whom, what, to what."""
    load("people.audit", "ls")(**given)


@audit.command(name="export")
@of_a_server
@_filters
@click.option("--format", type=click.Choice(["ndjson", "csv"]), default="ndjson", help="Default: ndjson.")
@click.option("--output", "-o", metavar="FILE", help="Default: the standard output.")
def audit_export(**given: object) -> None:
    """Write it to a file, the oldest first."""
    load("people.audit", "export")(**given)


@audit.command(name="verify")
@of_a_server
@as_json
def audit_verify(**given: object) -> None:
    """Say whether entries were changed or removed since they were sealed."""
    load("people.audit", "verify")(**given)
