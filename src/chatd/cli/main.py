"""The commands on one screen. Their flags are in `cli/flags/`, and what they do in the other folders."""

import os
import sys

import click

import chatd
from chatd.cli.lazy import LazyGroup, Listed, load
from chatd.errors import ChatdError, Misconfigured, Unavailable

FAILED, MISUSED = 1, 2

# What each does is how its own help begins; a test compares.
COMMANDS = {
    "serve": Listed("operate", "Run the server, until Ctrl-C."),
    "worker": Listed("operate", "Drive the chats of other servers, and answer no requests."),
    "demo": Listed("operate", "Watch an agent mend a small project, on a server of its own."),
    "migrate": Listed("operate", "Bring the database up to date."),
    "database": Listed("database", "Back up, restore and move the database."),
    "link": Listed("operate", "Make a link that signs a browser in."),
    "show": Listed("operate", "Show all that is stored of one chat."),
    "doctor": Listed("operate", "Find out what is wrong, and what to do."),
    "chat": Listed("talk", "Talk in the terminal; without an ID, in a new chat."),
    "send": Listed("talk", "Say something, and print the answer as it comes."),
    "watch": Listed("talk", "Print what happens in a chat, until you stop it with Ctrl-C."),
    "ls": Listed("chats", "List your chats: ID, status, when it last changed, title."),
    "interrupt": Listed("chats", "Stop the agent of a chat, and those that work for it."),
    "title": Listed("chats", "Print the title of a chat, or give it another one."),
    "share": Listed("sharing", "Share a chat; without a NAME, list with whom it is shared."),
    "unshare": Listed("sharing", "Share a chat with somebody no more."),
    "transfer": Listed(
        "sharing", "Offer a chat to another user; without an ID, list what is offered to you."
    ),
    "mark": Listed("sharing", "Mark a chat as read, pinned or muted, for yourself."),
    "context": Listed("chats", "Show what an agent is told of its workspace."),
    "prompt": Listed("chats", "Show what an agent is told before all that was said."),
    "restore": Listed("chats", "Bring files back as they were before a message."),
    "diff": Listed("chats", "Show what the agent has changed in files."),
    "export": Listed("chats", "Write a chat to a file."),
    "import": Listed("chats", "Make a new chat from an exported one."),
    "approve": Listed("approvals", "Allow a call for which the agent waits."),
    "deny": Listed("approvals", "Do not allow a call for which the agent waits."),
    "answer": Listed("approvals", "Answer the questions of an agent."),
    "plan": Listed("approvals", "Show a plan that an agent proposes, or decide on it."),
    "rules": Listed("rules", "See, add, move and remove rules for what agents may do."),
    "model": Listed("models", "See, add and try out models."),
    "mcp": Listed("mcp", "See, add and remove MCP servers, whose tools agents can use."),
    "skill": Listed("skills", "See, add and remove skills of your own."),
    "user": Listed("people", "See, add, suspend and delete users of a server, as an administrator."),
    "group": Listed("services", "See, make and fill groups of users, as an administrator."),
    "service": Listed("services", "See, add and change services: programs with tokens of their own."),
    "token": Listed("people", "See, make, rotate and revoke tokens for programs, your own or of others."),
    "audit": Listed("audit", "See, export and verify what was done on a server, as an auditor."),
    "advisor": Listed("advisor", "See and set up the second model that agents can ask."),
}


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(chatd.__version__, prog_name="chatd")
def commands() -> None:
    """A server for durable AI agent chats, and everything to talk to it.

    \b
    chatd serve    in one terminal runs the server;
    chatd chat     in another one talks with an agent.

    No key is needed to look around: the scripted model, which is no AI, answers as long as there is no other.
    `chatd model add` adds one, and `chatd doctor` says what is wrong when something is.
    """  # noqa: D301 - click leaves lines below it as they are


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
        load("out", "say_aside")(f"chatd: {load('advice', 'sentence')(error)}")
        sys.exit(MISUSED if isinstance(error, Misconfigured) else FAILED)
