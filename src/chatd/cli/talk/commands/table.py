"""Everything that can be typed behind a slash: what it is called, what it takes, and what it does."""

import re
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from typing import Any, Final

from msgspec import Struct

from chatd.cli.talk.commands import agents, chats, setup, turns
from chatd.errors import Unusable

# What a command does is given the talk, and what was typed behind its name.
Does = Callable[[Any, str], Awaitable[None]]

# Also in capital letters, as telephones begin a line; no path or comment, which go on behind it.
_NAME = re.compile(r"/[\w?-]*(?=\s|$)")


class Command(Struct, frozen=True):
    name: str
    takes: str
    help: str
    does: Does
    aliases: tuple[str, ...] = ()


async def show_help(talk: Any, _: str) -> None:
    width = max(len(f"{each.name} {each.takes}") for each in COMMANDS)
    lines = [f"{f'{each.name} {each.takes}'.ljust(width)}  {each.help}{_also(each)}" for each in COMMANDS]
    talk.note("\n".join([*lines, KEYS if talk.display.is_screen else KEYS_OF_LINES]))


def _also(command: Command) -> str:
    return f" (also {', '.join(command.aliases)})" if command.aliases else ""


async def leave(talk: Any, _: str) -> None:
    talk.leaves = True


KEYS: Final = (
    "Enter sends; Alt-Enter, Ctrl-J or a backslash at the end begins another line. Arrow up brings back "
    "what you typed, Ctrl-R looks for it. Tab completes commands and @files. Ctrl-G opens $EDITOR. Ctrl-T "
    "shows thoughts, Ctrl-O all that the last call printed. Esc or Ctrl-C stops the agent, Ctrl-C twice "
    "leaves. To begin a message with /, write //."
)

# In a pipe, and at a terminal that only knows lines.
KEYS_OF_LINES: Final = (
    "Each line is a message. Ctrl-C stops the agent, Ctrl-C twice leaves. To begin a message with /, "
    "write //."
)

COMMANDS: Final[tuple[Command, ...]] = (
    Command("/help", "", "this list", show_help, ("/h", "/?")),
    Command("/new", "", "begin another chat", chats.new, ("/clear",)),
    Command("/resume", "ID", "go on in another chat; without an ID, list them", chats.resume, ("/open",)),
    Command("/ls", "[WORDS]", "your newest chats, or those with these words", chats.list_chats, ("/chats",)),
    Command("/model", "[NAME]", "the model from the next message on", setup.model),
    Command("/effort", "LEVEL", "how hard the model thinks from the next message on", setup.effort),
    Command("/attach", "FILE", "send a file along with the next message", setup.attach, ("/file",)),
    Command("/edit", "[NUMBER]", "change your last message, or that one, and run it again", chats.edit),
    Command("/branch", "[NUMBER]", "list the branches, or go to one", chats.branch, ("/branches",)),
    Command("/retry", "", "try a failed turn again", turns.retry),
    Command("/stop", "", "stop the agent", turns.stop, ("/interrupt",)),
    Command("/steer", "TEXT", "say something between two steps of the agent", turns.steer),
    Command("/queue", "[rm|now NUMBER]", "list what waits, take it back, or have it said now", turns.queue),
    Command("/approve", "[chat|always]", "allow what the agent asks for", turns.approve),
    Command("/deny", "[REASON]", "do not allow it; the reason is told to the agent", turns.deny),
    Command("/skip", "", "leave a question to the agent", turns.skip),
    Command("/plan", "", "have the agent propose a plan before it changes anything", setup.plan),
    Command("/act", "", "have it do what it is asked again", setup.act),
    Command("/agents", "[NUMBER]", "the agents of this chat, or look at one", agents.agents, ("/children",)),
    Command("/back", "", "from an agent to the chat that it works for", agents.back, ("/parent",)),
    Command("/compact", "", "have what was said summed up, to make room", turns.compact),
    Command("/thoughts", "", "show the thoughts of the model, or fold them", setup.thoughts, ("/reasoning",)),
    Command("/output", "", "all that the last call has printed", turns.output),
    Command("/diff", "", "what the agent has changed in files since your last message", chats.diff),
    Command("/cost", "", "what the chat has cost, and how full its context is", chats.cost, ("/usage",)),
    Command("/title", "[TEXT]", "show the title, or give the chat another one", chats.title, ("/rename",)),
    Command("/export", "[FILE]", "write the chat to a file, Markdown or .json", chats.export),
    Command("/quit", "", "leave; the agent goes on", leave, ("/q", "/exit")),
)  # fmt: skip

_BY_NAME: Final = {name: each for each in COMMANDS for name in (each.name, *each.aliases)}


def is_command(line: str) -> bool:
    """Whether the line is meant for us, and not for the model: also one that we do not know."""
    return _NAME.match(line) is not None


def name_of(line: str) -> str:
    """The command that the line is, by the name that it is listed under. Empty: none that we know."""
    known = _BY_NAME.get(line.split(maxsplit=1)[0].lower()) if line.strip() else None
    return known.name if known is not None else ""


async def obey(talk: Any, line: str) -> None:
    """Raises Unusable for a command that does not exist, or does not take what is behind it."""
    name, *rest = line.split(maxsplit=1)
    known = _BY_NAME.get(name.lower())
    if known is None:
        near = get_close_matches(name.lower(), _BY_NAME, n=2)
        maybe = f" Do you mean {' or '.join(near)}?" if near else ""
        raise Unusable(f"There is no {name}.{maybe} /help lists what there is; // begins a message with /.")
    if rest and not known.takes:
        raise Unusable(f"{known.name} takes no words behind it, so nothing was done. Write it alone.")
    await known.does(talk, rest[0].strip() if rest else "")
