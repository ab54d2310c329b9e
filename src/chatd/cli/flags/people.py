"""`chatd user` and `chatd token`."""

import click

from chatd.cli.flags.options import Commands, as_json, of_a_server
from chatd.cli.lazy import load

# As `UserRole` and `Scope` have them; a test compares.
ROLES = ("admin", "auditor", "member", "viewer")
SCOPES = (
    "chats:read",
    "chats:write",
    "chats:share",
    "files:write",
    "models:read",
    "account",
    "usage:read",
    "audit:read",
    "metrics:read",
    "admin",
    "act_as",
)
DAYS_MAX = 365
# What can become of the chats of who is deleted.
LEAVING = ("archive", "transfer", "erase")
OLD_SECONDS_MAX = 24 * 3600


scopes = click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    metavar="SCOPE",
    help=f"What it may be used for; several times for several: {', '.join(SCOPES)}. Default: to chat.",
)
of = click.option("--of", metavar="USER", help="Of this user or service instead, as an administrator.")
days = click.option("--days", type=click.IntRange(1, DAYS_MAX), help="How long it counts. Default: 90.")


@click.group(cls=Commands)
def user() -> None:
    """See, add, suspend and delete users of a server, as an administrator."""


@user.command(name="ls")
@of_a_server
@as_json
def user_ls(**given: object) -> None:
    """List users: name, role, whether they are suspended."""
    load("people.user", "ls")(**given)


@user.command(name="add")
@of_a_server
@click.argument("name", metavar="NAME")
@click.option("--role", type=click.Choice(ROLES), default="member", help="Default: member.")
@click.option("--name", "display_name", default="", metavar="TEXT", help="How they are shown to others.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="A group they are in; repeatable.")
@as_json
def user_add(**given: object) -> None:
    """Add a user, and print a link that signs them in once, within seven days."""
    load("people.user", "add")(**given)


@user.command(name="set")
@of_a_server
@click.argument("name", metavar="NAME")
@click.option("--role", type=click.Choice(ROLES), help="What they may do from now on.")
@click.option("--name", "display_name", metavar="TEXT", help="How they are shown to others.")
@click.option("--email", metavar="ADDRESS", help="By which an identity provider may know them; empty: none.")
@click.option("--no-password", is_flag=True, help="Take a forgotten password away.")
def user_set(**given: object) -> None:
    """Change the role of a user, how they are shown, or how they come in."""
    load("people.user", "change")(**given)


@user.command(name="suspend")
@of_a_server
@click.argument("name", metavar="NAME")
def user_suspend(**given: object) -> None:
    """Shut a user out. Their agents stop, and everything is kept."""
    load("people.user", "suspend")(**given)


@user.command(name="activate")
@of_a_server
@click.argument("name", metavar="NAME")
def user_activate(**given: object) -> None:
    """Let a suspended user in again."""
    load("people.user", "activate")(**given)


@user.command(name="rm")
@of_a_server
@click.argument("name", metavar="NAME")
@click.option("--chats", type=click.Choice(LEAVING), required=True, help="What becomes of their chats.")
@click.option("--to", metavar="USER", help="Who gets them, with `--chats transfer`.")
def user_rm(**given: object) -> None:
    """Delete a user, with all of their tokens."""
    load("people.user", "rm")(**given)


@user.command(name="restore")
@of_a_server
@click.argument("user_id", metavar="ID")
def user_restore(**given: object) -> None:
    """Bring a deleted user back, within 14 days."""
    load("people.user", "restore")(**given)


@user.command(name="link")
@of_a_server
@click.argument("name", metavar="NAME")
@as_json
def user_link(**given: object) -> None:
    """Make a link that signs a user in once, within an hour.

    On the machine of a server it also works while the server is stopped, without a token.
    """
    load("people.link", "run")(**given)


@user.command(name="sign-ins")
@of_a_server
@click.argument("name", metavar="NAME")
@click.option("--end", "sign_in_id", metavar="ID", help="Sign this one out instead.")
@as_json
def user_sign_ins(**given: object) -> None:
    """List the browsers in which a user is signed in, or sign one of them out."""
    load("people.sign_ins", "run")(**given)


@click.group(cls=Commands)
def token() -> None:
    """See, make, rotate and revoke tokens for programs, your own or of others."""


@token.command(name="ls")
@of_a_server
@of
@as_json
def token_ls(**given: object) -> None:
    """List tokens: what they are for, when they end, when they were used."""
    load("people.token", "ls")(**given)


@token.command(name="add")
@of_a_server
@click.argument("name", metavar="NAME")
@scopes
@days
@as_json
def token_add(**given: object) -> None:
    """Make a token, and print it: it is shown once."""
    load("people.token", "add")(**given)


@token.command(name="rotate")
@of_a_server
@click.argument("token_id", metavar="ID")
@of
@click.option(
    "--old-seconds",
    type=click.IntRange(0, OLD_SECONDS_MAX),
    default=0,
    help="How long the secret of before still counts. Default: 0.",
)
@as_json
def token_rotate(**given: object) -> None:
    """Give a token another secret, and print it."""
    load("people.token", "rotate")(**given)


@token.command(name="rm")
@of_a_server
@click.argument("token_id", metavar="ID")
@of
def token_rm(**given: object) -> None:
    """Revoke a token. Browsers that were signed in with it are signed out."""
    load("people.token", "rm")(**given)
