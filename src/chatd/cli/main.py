"""The commands and their flags, on one screen.

A command imports what it needs when it runs, so that `chatd --help` needs nothing.
"""

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import chatd
from chatd.errors import ChatdError, Misconfigured, Unavailable

FAILED, MISUSED = 1, 2

# As `ProviderType`, `Effort`, `Scope`, `Availability` and so on have them; a test compares.
TYPES = (
    "anthropic", "openai", "openai-compatible", "azure", "openrouter", "vercel", "google", "bedrock",
    "ollama", "scripted",
)  # fmt: skip
SCOPES = ("user", "deployment")
AVAILABILITIES = ("force_on", "default_on", "default_off")
APPROVAL_SCOPES = ("once", "chat", "always")
VERDICTS = ("allow", "ask", "deny")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

Command = TypeVar("Command", bound=Callable[..., Any])

# Below the help of every command that takes an ID.
IDS = "`chatd ls` lists your chats with their IDs. The beginning of an ID will do, from 4 characters on."

data_dir = click.option(
    "--data-dir",
    metavar="DIR",
    help="Where the server on this machine keeps its data. Default: ~/.local/share/chatd.",
)
config = click.option(
    "--config",
    metavar="FILE",
    help="The settings file. Default: ~/.config/chatd/chatd.toml, if there is one.",
)
database_url = click.option(
    "--database-url",
    metavar="URL",
    help="sqlite:///path or postgresql://… Default: SQLite in the data directory.",
)
url = click.option(
    "--url", metavar="URL", help="The server. Default: $CHATD_URL, or the one on this machine."
)
token = click.option(
    "--token", metavar="TOKEN", help="Your token. Default: $CHATD_TOKEN, or the one in the data directory."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
model_name = click.option(
    "--model",
    metavar="NAME",
    help="The model from this message on, as provider/model. `chatd model ls` lists them.",
)
effort = click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help=f"How hard the model thinks: {', '.join(EFFORTS)}.",
)


def _with_a_key(command: Command) -> Command:
    """Where the key of a provider is."""
    for option in (
        click.option("--no-key", is_flag=True, help="The provider needs no key."),
        click.option("--key-file", metavar="FILE", help="Take the key from this file."),
        click.option("--key-env", metavar="VARIABLE", help="Take the key from this environment variable."),
    ):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(chatd.__version__, prog_name="chatd")
def commands() -> None:
    """A server for durable AI agent chats, and everything to talk to it.

    \b
    chatd serve    in one terminal runs the server;
    chatd chat     in another one talks with an agent.

    No key is needed to look around: the scripted model, which is no AI, answers as long as there is no other.
    `chatd model add` adds one, and `chatd doctor` says what is wrong when something is.
    """  # noqa: D301 - click leaves lines below it as they are


@commands.command()
@click.option("--host", metavar="ADDRESS", help="The address to listen on. Default: 127.0.0.1.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="NUMBER",
    help="The port. Default: 8787; 0 takes a free one.",
)
@data_dir
@config
@database_url
@click.option(
    "--workspace", metavar="DIR", help="A directory in which agents may read, change and run things."
)
@click.option(
    "--no-worker",
    "worker",
    flag_value=False,
    default=None,
    help="Only answer requests, and run no agents.",
)
def serve(**flags: object) -> None:
    """Run the server, until Ctrl-C.

    It prints its address when it is ready. At the first start it makes its data directory, with a token for
    the user `admin` that the other commands on this machine find by themselves.
    """
    _run("operate.serve")(flags)


@commands.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Allow everything that the agent wants to do.")
def demo(*, directory: Path | None, yes: bool) -> None:
    """Watch an agent mend a small project, on a server of its own.

    No key is needed: the scripted model, which is no AI, reads, searches, runs the tests and changes a file.
    It asks before it does what deserves asking. The project is made in DIR, or in a temporary directory.
    """
    _run("operate.demo")(directory=directory, yes=yes)


@commands.command()
@data_dir
@config
@database_url
@as_json
def migrate(*, as_json: bool, **flags: object) -> None:
    """Bring the database up to date. `chatd serve` does so by itself."""
    _run("operate.migrate")(flags, as_json=as_json)


@commands.command(epilog=IDS)
@click.argument("chat_id", metavar="ID")
@data_dir
@config
@database_url
@click.option(
    "--requests",
    is_flag=True,
    help="Show what was sent to models in the newest turn that was recorded, and what came back.",
)
@as_json
def show(chat_id: str, *, requests: bool, as_json: bool, **flags: object) -> None:
    """Show all that is stored of one chat.

    Also what is being said in it right now. Reads the database itself, whether or not a server is running.
    """
    _run("operate.requests" if requests else "operate.show")(chat_id, flags, as_json=as_json)


@commands.command()
@data_dir
@config
@database_url
@url
@token
@click.option(
    "--providers",
    is_flag=True,
    help="Also have a model of each provider say a word, which it may charge for.",
)
@as_json
def doctor(*, providers: bool, as_json: bool, **flags: object) -> None:
    """Find out what is wrong, and what to do.

    Checks the settings, the data directory, the database, the server and the token. Ends with 1 when
    something is wrong.
    """
    _run("operate.doctor")(flags, providers=providers, as_json=as_json)


workspace = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(resolve_path=True),
    help="Where the agent of a new chat works. Default: the workspace of the server.",
)


def _of_a_server(command: Command) -> Command:
    """What every command that talks to a server takes."""
    for option in (config, data_dir, token, url):
        command = option(command)
    return command


@commands.command()
@_of_a_server
@click.option(
    "--limit",
    type=click.IntRange(1, 200),
    metavar="NUMBER",
    default=50,
    help="How many at most. Default: 50.",
)
@click.option("--children", metavar="ID", help="List the chats that work for this one instead.")
@click.option("--archived", is_flag=True, help="List archived chats instead.")
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
    _run("chats.ls")(**given)


@commands.command(epilog=IDS)
@_of_a_server
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
@as_json
def send(**given: object) -> None:
    """Say something, and print the answer as it comes.

    \b
    chatd send --new "Name three planets."    starts a chat, and prints its ID too
    chatd send ID "And their moons?"          goes on in that chat
    git diff | chatd send --new               says what is on the standard input

    Ends with 0 when the agent has finished, 3 when it failed or answered with nothing, 4 when it waits for a
    person or a client, and 5 when it was interrupted. Ctrl-C stops the waiting and not the agent.
    """  # noqa: D301 - click leaves lines below it as they are
    _run("talk.send")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@as_json
def watch(**given: object) -> None:
    """Print what happens in a chat, until you stop it with Ctrl-C."""
    _run("talk.watch")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--only", is_flag=True, help="Let the chats that work for it go on.")
@as_json
def interrupt(**given: object) -> None:
    """Stop the agent of a chat, and those that work for it. What they have said is kept."""
    _run("chats.interrupt")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("title", metavar="[TITLE]", required=False)
@click.option("--regenerate", is_flag=True, help="Have a model find a title, instead of the one it has.")
@click.option("--propose", is_flag=True, help="Have a model find a title, and only print it.")
@as_json
def title(**given: object) -> None:
    """Print the title of a chat, or give it another one."""
    _run("chats.title")(**given)


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
        _of_a_server,
    ):  # fmt: skip
        command = option(command)
    return command


@commands.command(epilog=IDS)
@_decides
def approve(**given: object) -> None:
    """Allow a call for which the agent waits.

    `chatd show ID` shows what the call would do, and `chatd rules ls` what is allowed already.
    """
    _run("approvals.decide", "approve")(**given)


@commands.command(epilog=IDS)
@_decides
def deny(**given: object) -> None:
    """Do not allow a call for which the agent waits. It goes on, and reads why."""
    _run("approvals.decide", "deny")(**given)


@commands.command(epilog=IDS)
@_of_a_server
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
    _run("approvals.answer")(**given)


@commands.command(epilog=IDS)
@_of_a_server
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
    _run("approvals.plan")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.option("--refresh", is_flag=True, help="Read the workspace anew, and tell the agent.")
@as_json
def context(**given: object) -> None:
    """Show what an agent is told of its workspace.

    Instruction files and skills are pinned to the chat at its first turn, so what it is told stays
    the same. A file that is too large, or cannot be used, is listed with the reason.
    """
    _run("chats.chat_context")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@as_json
def prompt(**given: object) -> None:
    """Show what an agent is told before all that was said.

    That is the system prompt as it would be sent now, part by part, and the tools that the agent has, each
    with its size in tokens. The words of the deployment are shown to administrators only.
    """
    _run("chats.prompt")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("message_id", metavar="[MESSAGE]", type=click.IntRange(min=1), required=False)
@click.option("--undo", is_flag=True, help="Take the last restore back; twice restores again.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
def restore(**given: object) -> None:
    """Bring files back as they were before a message.

    MESSAGE is the number of a message; without one it is your last message, so that what the agent did since
    is undone. Everything that is kept of the workspace goes back, also what others have changed there. Ends
    with 1 when some of it could not be done.
    """
    _run("chats.restore")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="ID")
@click.argument("message_id", metavar="[MESSAGE]", type=click.IntRange(min=1), required=False)
@click.option("--file", metavar="PATH", help="Only of this file in the workspace.")
@as_json
def diff(**given: object) -> None:
    """Show what the agent has changed in files.

    From before MESSAGE to before your next one, or to now. Without MESSAGE, since your last message.
    """
    _run("chats.diff")(**given)


@commands.command(epilog=IDS)
@_of_a_server
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
    _run("chats.export")(**given)


@commands.command(name="import")
@_of_a_server
@click.argument("file", metavar="FILE")
@as_json
def import_(**given: object) -> None:
    """Make a new chat from an exported one.

    FILE is what `chatd export` has written as JSON, or - for the standard input.
    """
    _run("chats.import_")(**given)


@commands.command(epilog=IDS)
@_of_a_server
@click.argument("chat_id", metavar="[ID]", required=False)
@workspace
@model_name
@effort
@click.option("--plan", is_flag=True, help="The agent proposes a plan first, and changes nothing until then.")
def chat(**given: object) -> None:
    """Talk in the terminal; without an ID, in a new chat.

    Ctrl-C stops the agent, twice within two seconds leaves. `/help` lists what else can be typed.
    """
    _run("talk.chat")(**given)


@commands.group()
def model() -> None:
    """See, add and try out models."""


@model.command(name="ls")
@_of_a_server
@as_json
def model_ls(**given: object) -> None:
    """List the models, with their sizes and prices.

    How many tokens each can hold, and the price of a million of them, in and out. Prices are in US dollars
    where they are publicly known, else as an administrator has set them.
    """
    _run("catalog.model", "ls")(**given)


@model.command(name="add")
@_of_a_server
@click.argument("provider", metavar="PROVIDER")
@click.argument("model", metavar="MODEL")
@click.option(
    "--type", "type_", type=click.Choice(TYPES), metavar="TYPE",
    help=f"What a new provider is, if its name is none of these: {', '.join(TYPES)}.",
)  # fmt: skip
@click.option("--base-url", metavar="URL", help="Where a new provider is, if not at its usual address.")
@click.option(
    "--allow-plain-http", is_flag=True, help="Call it without TLS, although it is not in a private network."
)
@_with_a_key
@click.option(
    "--context-limit",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="How many tokens it can hold. Default: what is publicly known of it, or else 128,000.",
)
@click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help="How hard it thinks unless a message says otherwise. Default: as it likes.",
)
@click.option("--default", "is_default", is_flag=True, help="New chats use it unless told otherwise.")
@as_json
def model_add(**given: object) -> None:
    """Add a model, and its provider if that is new.

    \b
    chatd model add anthropic claude-sonnet-4-6
    chatd model add den llama3.2 --type ollama --base-url http://192.168.0.7:11434/v1

    PROVIDER is a name of yours, or simply its type; MODEL is called as the provider calls it. Chats name the
    two of them PROVIDER/MODEL. The key of a new provider is asked for and not shown, unless one of the
    options says where it is.
    """  # noqa: D301 - click leaves lines below it as they are
    _run("catalog.model", "add")(**given)


@model.command(name="test")
@_of_a_server
@click.argument("name", metavar="[NAME]", required=False)
@as_json
def model_test(**given: object) -> None:
    """Have a model say a word.

    NAME is provider/model; without it, the default one is tried. Ends with 1 when it cannot.
    """
    _run("catalog.model", "test")(**given)


@model.command(name="rm")
@_of_a_server
@click.argument("name", metavar="NAME")
def model_rm(**given: object) -> None:
    """Remove a model, or a whole provider.

    NAME is provider/model, or a provider alone: that goes with its key and all of its models.
    """
    _run("catalog.model", "rm")(**given)


@model.command(name="key")
@_of_a_server
@click.argument("provider", metavar="PROVIDER")
@_with_a_key
def model_key(**given: object) -> None:
    """Give a PROVIDER another key. It is asked for and not shown, unless an option says where it is."""
    _run("catalog.model", "key")(**given)


@model.command(name="threshold")
@_of_a_server
@click.argument("name", metavar="NAME")
@click.argument("percent", metavar="[PERCENT]", required=False, type=click.IntRange(0, 100))
@click.option("--clear", is_flag=True, help="Take yours back: that of the model counts again.")
@as_json
def model_threshold(**given: object) -> None:
    """When your chats with a model are summarized.

    NAME is provider/model. PERCENT is from 0 to 100, and 100 means never by itself; without it, what counts
    now is shown.
    """
    _run("catalog.model", "threshold")(**given)


@model.command(name="forget-keys")
@data_dir
@config
@database_url
def model_forget_keys(**flags: object) -> None:
    """Remove the keys that can no longer be read.

    The stored keys of providers are sealed with the server's own secret key. Use this when that was lost.
    """
    _run("operate.forget_keys")(flags)


@commands.group()
def rules() -> None:
    """See, add, move and remove rules for what agents may do."""


of_chat = click.option("--chat", metavar="ID", help="Of this chat. Default: of all your chats.")


@rules.command(name="ls")
@_of_a_server
@of_chat
@as_json
def rules_ls(**given: object) -> None:
    """List the rules in the order in which they are tried: the first that fits decides."""
    _run("approvals.rules", "ls")(**given)


@rules.command(name="add")
@_of_a_server
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
    _run("approvals.rules", "add")(**given)


@rules.command(name="move")
@_of_a_server
@click.argument("rule_id", metavar="RULE")
@click.argument("position", metavar="POSITION", type=click.IntRange(0, 200))
@of_chat
@as_json
def rules_move(**given: object) -> None:
    """Move a rule to a POSITION; 0 is the first."""
    _run("approvals.rules", "move")(**given)


@rules.command(name="rm")
@_of_a_server
@click.argument("rule_id", metavar="RULE")
@of_chat
def rules_rm(**given: object) -> None:
    """Remove a rule."""
    _run("approvals.rules", "rm")(**given)


@commands.group()
def mcp() -> None:
    """See, add and remove MCP servers, whose tools agents can use."""


@mcp.command(name="ls")
@_of_a_server
@as_json
def mcp_ls(**given: object) -> None:
    """List the MCP servers: those for all users, and your own."""
    _run("catalog.mcp", "ls")(**given)


@mcp.command(name="show")
@_of_a_server
@click.argument("name", metavar="SLUG")
@as_json
def mcp_show(**given: object) -> None:
    """Show how an MCP server is set up. No secret is shown."""
    _run("catalog.mcp", "show")(**given)


@mcp.command(name="add")
@_of_a_server
@click.argument("slug", metavar="SLUG")
@click.argument("where", metavar="URL|-- PROGRAM [ARGUMENT]...", nargs=-1, required=True)
@click.option(
    "--scope", type=click.Choice(SCOPES), help="Whose it is. Default: user; of a program: deployment."
)
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
    _run("catalog.mcp", "add")(**given)


@mcp.command(name="test")
@_of_a_server
@click.argument("name", metavar="SLUG")
@as_json
def mcp_test(**given: object) -> None:
    """Connect to an MCP server, and list its tools.

    The server of chatd connects, as it does for your chats. Ends with 1 when it cannot.
    """
    _run("catalog.mcp", "test")(**given)


@mcp.command(name="connect")
@_of_a_server
@click.argument("name", metavar="SLUG")
@click.option("--code", metavar="CODE", help="Finish with this code, which the browser has shown.")
def mcp_connect(**given: object) -> None:
    """Sign in at an MCP server.

    Prints an address. Open it in a browser on any machine and sign in; the browser then shows a code, which
    is asked for here, or given later with --code. What agents do there from then on they do in your name.
    """
    _run("catalog.mcp", "connect")(**given)


@mcp.command(name="disconnect")
@_of_a_server
@click.argument("name", metavar="SLUG")
def mcp_disconnect(**given: object) -> None:
    """Forget your sign-in at an MCP server.

    The token is deleted here, and the server is asked to take it back.
    """
    _run("catalog.mcp", "disconnect")(**given)


@mcp.command(name="rm")
@_of_a_server
@click.argument("name", metavar="SLUG")
def mcp_rm(**given: object) -> None:
    """Remove an MCP server, with its secrets and sign-ins."""
    _run("catalog.mcp", "rm")(**given)


@mcp.command(name="trust")
@_of_a_server
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--yes", is_flag=True, help="Trust what is declared now, without a question.")
@click.option("--withdraw", is_flag=True, help="Trust it no more.")
@as_json
def mcp_trust(**given: object) -> None:
    """Look at the MCP servers of a workspace, and trust them.

    Its file `.mcp.json` declares them. It comes with the files of a repository, so no chat of yours uses
    one before you have said that this very file may be. DIR is the workspace; without it, that of the server.
    """
    _run("catalog.mcp_trust", "trust")(**given)


@commands.group()
def skill() -> None:
    """See, add and remove skills of your own.

    A skill is a text with instructions for one kind of task, which agents read when they have such a task.
    Yours can be read in all of your chats. A workspace may have skills too; `chatd context ID` lists them.
    """


@skill.command(name="ls")
@_of_a_server
@as_json
def skill_ls(**given: object) -> None:
    """List your skills."""
    _run("catalog.skill", "ls")(**given)


@skill.command(name="add")
@_of_a_server
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
    _run("catalog.skill", "add")(**given)


@skill.command(name="show")
@_of_a_server
@click.argument("name", metavar="NAME")
@as_json
def skill_show(**given: object) -> None:
    """Print a skill."""
    _run("catalog.skill", "show")(**given)


@skill.command(name="rm")
@_of_a_server
@click.argument("name", metavar="NAME")
def skill_rm(**given: object) -> None:
    """Remove a skill."""
    _run("catalog.skill", "rm")(**given)


@commands.group()
def advisor() -> None:
    """See and set up the second model that agents can ask."""


@advisor.command(name="show")
@_of_a_server
@as_json
def advisor_show(**given: object) -> None:
    """Show whether agents have an advisor, and which."""
    _run("catalog.advisor", "show")(**given)


@advisor.command(name="set")
@_of_a_server
@click.option("--on/--off", "enabled", default=None, help="Whether agents have an advisor.")
@click.option("--model", metavar="NAME", help="provider/model, or `chat` for the model of each chat.")
@click.option(
    "--effort",
    "reasoning_effort",
    type=click.Choice(EFFORTS),
    metavar="LEVEL",
    help="How hard that model thinks.",
)
@click.option(
    "--uses",
    "max_uses_per_turn",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="How often an agent may ask in one turn; 0: as often as it likes.",
)
@click.option(
    "--output-tokens",
    "max_output_tokens",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="How long one advice may be; 0: the usual length.",
)
@click.option(
    "--for-children/--not-for-children",
    "for_children",
    default=None,
    help="Whether agents that work for other agents have it too.",
)
@as_json
def advisor_set(**given: object) -> None:
    """Give agents an advisor, or take it away; for administrators.

    What is not named stays as it is. A change counts from the next turn of each chat on.
    """
    _run("catalog.advisor", "set_")(**given)


def _run(command: str, deed: str = "run") -> Callable[..., Any]:
    run: Callable[..., Any] = getattr(importlib.import_module(f"chatd.cli.{command}"), deed)
    return run


def _open_what_was_closed() -> None:
    """The program that starts us may have closed stdin, stdout or stderr. The next file that we open would
    get its number, and what we print for the terminal would be written into that file.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def main() -> None:
    """An error is printed as a sentence. A traceback means a bug of ours."""
    _open_what_was_closed()
    try:
        commands(prog_name="chatd")
    except (ChatdError, Unavailable) as error:
        _run("out", "say_aside")(f"chatd: {_run('advice', 'sentence')(error)}")
        sys.exit(MISUSED if isinstance(error, Misconfigured) else FAILED)
