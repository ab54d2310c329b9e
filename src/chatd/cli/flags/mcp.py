"""`chatd mcp`."""

import click

from chatd.cli.flags.options import Commands, as_json, of_a_server
from chatd.cli.lazy import load

# As `Scope` and `Availability` have them; a test compares.
SCOPES = ("user", "deployment")
URL_BEGINNINGS = ("http://", "https://")
AVAILABILITIES = ("force_on", "default_on", "default_off")


@click.group(cls=Commands)
def mcp() -> None:
    """See, add and remove MCP servers, whose tools agents can use."""


@mcp.command(name="ls")
@of_a_server
@as_json
def mcp_ls(**given: object) -> None:
    """List the MCP servers: those for all users, and your own."""
    load("catalog.mcp", "ls")(**given)


@mcp.command(name="show")
@of_a_server
@click.argument("name", metavar="SLUG")
@as_json
def mcp_show(**given: object) -> None:
    """Show how an MCP server is set up. No secret is shown."""
    load("catalog.mcp", "show")(**given)


class _ProgramBehindDashes(click.Command):
    """A mistyped URL would be a program otherwise, and that runs for all users."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        has_dashes = "--" in args
        rest = super().parse_args(ctx, args)
        where = ctx.params.get("where") or ()
        if where and not has_dashes and (len(where) > 1 or not where[0].startswith(URL_BEGINNINGS)):
            program = " ".join(where)
            raise click.UsageError(
                f"{program!r} is no URL that begins with https://. If it is a program, write -- before it: "
                f"chatd mcp add {ctx.params['slug']} -- {program}",
                ctx,
            )
        return rest


@mcp.command(name="add", cls=_ProgramBehindDashes)
@of_a_server
@click.argument("slug", metavar="SLUG")
@click.argument("where", metavar="URL|-- PROGRAM [ARGUMENT]...", nargs=-1, required=True)
@click.option(
    "--scope", type=click.Choice(SCOPES),
    help="Whose it is. Default: user; of a program, or with --group: deployment.",
)  # fmt: skip
@click.option("--sse", is_flag=True, help="The server speaks the older transport, SSE.")
@click.option("--oauth", is_flag=True, help="Users sign in there, with `chatd mcp connect SLUG`.")
@click.option("--client-id", metavar="ID", help="The OAuth client, if it was made by hand.")
@click.option("--client-secret-env", metavar="VARIABLE", help="Take the client's secret from this variable.")
@click.option("--auth-url", metavar="URL", help="Where users sign in, if the server does not tell it.")
@click.option("--token-url", metavar="URL", help="Where tokens come from, if the server does not tell it.")
@click.option(
    "--oauth-scopes", metavar="WORDS", help="What tokens are asked for. Default: as the server tells."
)
@click.option("--key-env", metavar="VARIABLE", help="Send the key in this environment variable.")
@click.option("--key-file", metavar="FILE", help="Send the key in this file.")
@click.option("--key-header", metavar="NAME", help="The header for the key. Default: Authorization.")
@click.option(
    "--header-env", "headers", metavar="NAME=VARIABLE", multiple=True,
    help="Send this header, with the value of an environment variable; may be given several times.",
)  # fmt: skip
@click.option(
    "--env", "variables", metavar="NAME[=VALUE]", multiple=True,
    help="A variable for the program; without a value, as it is set here. May be given several times.",
)  # fmt: skip
@click.option(
    "--allow", metavar="TOOL", multiple=True, help="Offer this tool, and only those that are allowed."
)
@click.option("--deny", metavar="TOOL", multiple=True, help="Never offer this tool.")
@click.option(
    "--availability", type=click.Choice(AVAILABILITIES),
    help="Which chats use it: all, those that do not say otherwise, or those that say so.",
)  # fmt: skip
@click.option(
    "--group", "groups", metavar="GROUP", multiple=True,
    help="Give it to members of this group, and of the others that are named; may be given several times.",
)  # fmt: skip
@click.option("--name", "display_name", metavar="TEXT", help="What it is called in lists.")
@as_json
def mcp_add(**given: object) -> None:
    """Add an MCP server.

    \b
    chatd mcp add docs https://mcp.example.com/mcp --key-env DOCS_KEY
    chatd mcp add tracker https://tracker.example.com/mcp --oauth
    chatd mcp add time -- uvx mcp-server-time

    Its tools are called SLUG__TOOL. A server with a URL is yours alone, unless an administrator says
    `--scope deployment`. A PROGRAM runs on the server's machine: only administrators add one, for all users.
    """  # noqa: D301 - click leaves lines below it as they are
    load("catalog.mcp", "add")(**given)


@mcp.command(name="give")
@of_a_server
@click.argument("name", metavar="SLUG")
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="May be given several times.")
@click.option("--everyone", is_flag=True, help="Give it to all users.")
def mcp_give(**given: object) -> None:
    """Say which groups an MCP server is for, as an administrator.

    The groups that are named replace those of before. Who is not given it any more cannot choose it; chats
    that have it keep it.
    """
    if bool(given["groups"]) == given["everyone"]:
        raise click.UsageError("Say either --group, once for each group, or --everyone.")
    load("catalog.mcp", "give")(**given)


@mcp.command(name="test")
@of_a_server
@click.argument("name", metavar="SLUG")
@as_json
def mcp_test(**given: object) -> None:
    """Connect to an MCP server, and list its tools.

    The server of chatd connects, as it does for your chats. Ends with 1 when it cannot.
    """
    load("catalog.mcp", "test")(**given)


@mcp.command(name="connect")
@of_a_server
@click.argument("name", metavar="SLUG")
@click.option("--code", metavar="CODE", help="Finish with this code, which the browser has shown.")
def mcp_connect(**given: object) -> None:
    """Sign in at an MCP server.

    Prints an address. Open it in a browser on any machine and sign in; the browser then shows a code, which
    is asked for here, or given later with --code. What agents do there from then on they do in your name.
    """
    load("catalog.mcp", "connect")(**given)


@mcp.command(name="disconnect")
@of_a_server
@click.argument("name", metavar="SLUG")
def mcp_disconnect(**given: object) -> None:
    """Forget your sign-in at an MCP server.

    The token is deleted here, and the server is asked to take it back.
    """
    load("catalog.mcp", "disconnect")(**given)


@mcp.command(name="rm")
@of_a_server
@click.argument("name", metavar="SLUG")
def mcp_rm(**given: object) -> None:
    """Remove an MCP server, with its secrets and sign-ins."""
    load("catalog.mcp", "rm")(**given)


@mcp.command(name="trust")
@of_a_server
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--yes", is_flag=True, help="Trust what is declared now, without a question.")
@click.option("--withdraw", is_flag=True, help="Trust it no more.")
@as_json
def mcp_trust(**given: object) -> None:
    """Look at the MCP servers of a workspace, and trust them.

    Its file `.mcp.json` declares them. It comes with the files of a repository, so no chat of yours uses
    one before you have said that this very file may be. DIR is the workspace; without it, that of the server.
    """
    load("catalog.mcp_trust", "trust")(**given)
