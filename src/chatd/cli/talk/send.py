"""chatd send: say something, print what the agent says to it as it comes, until it rests.

How the turn ended is the exit code, so that a script need not read the words.
"""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from msgspec import UNSET, Struct, UnsetType

from chatd.cli.approvals.awaited import lines_of
from chatd.cli.chats.chat_id import find_chat, is_whole_id, looks_like_id
from chatd.cli.context import run_loop
from chatd.cli.out import say_aside, say_json
from chatd.cli.remote import client_from
from chatd.cli.talk.replying import print_reply
from chatd.cli.talk.sending.attachment import Attachment, read_attachment
from chatd.cli.talk.showing.news import explained
from chatd.cli.talk.showing.reply_text import ReplyText, text_of_reply
from chatd.cli.talk.showing.transcript import CUT_OFF
from chatd.client import AsyncClient
from chatd.client.answers import Chat, Message, Sent
from chatd.kit.text import is_plain

FINISHED, TURN_FAILED, WAITING, INTERRUPTED = 0, 3, 4, 5
# As a shell has it for whatever Ctrl-C has ended.
LEFT = 130

NOTHING_SAID = "The model answered with nothing. Try again, or choose another model with --model."

WORDS = {
    FINISHED: "finished",
    TURN_FAILED: "failed",
    WAITING: "waiting",
    INTERRUPTED: "interrupted",
}


# What was asked for with --plan or --no-plan, or with neither.
MODES: Mapping[bool | None, str | UnsetType | None] = {None: UNSET, True: "plan", False: None}


class Saying(Struct, frozen=True, kw_only=True):
    words: str
    files: tuple[str, ...]
    model: str | None
    effort: str | None
    instructions: str | None
    when: str | None
    temporary: bool
    workspace: str | UnsetType
    mcp_servers: tuple[str, ...] | UnsetType
    mode: str | UnsetType | None


class Ended(Struct, frozen=True, kw_only=True):
    chat: Chat
    # What was said since the user last spoke, in order.
    messages: tuple[Message, ...]
    code: int


def run(  # noqa: PLR0913 - the options of the command
    *,
    chat_id: str | None,
    text: str | None,
    is_new: bool,
    temporary: bool,
    workspace: str | None,
    as_json: bool,
    model: str | None,
    effort: str | None,
    instructions: str | None,
    files: tuple[str, ...],
    mcp_servers: tuple[str, ...],
    plan: bool | None,
    when: str | None,
    **flags: object,
) -> None:
    chat_id, words = _meant(chat_id, text, is_new=is_new)
    if temporary and not is_new:
        raise click.UsageError("Only a new chat can be temporary: add --new, or leave --temporary out.")
    if workspace is not None and not is_new:
        raise click.UsageError("A chat keeps its workspace: add --new, or leave --workspace out.")
    saying = Saying(
        words=words,
        files=files,
        model=model,
        effort=effort,
        instructions=instructions,
        when=when,
        temporary=temporary,
        workspace=UNSET if workspace is None else workspace,
        mcp_servers=mcp_servers or UNSET,
        mode=MODES[plan],
    )
    begun: list[str] = []

    def tell_id(id_: str) -> None:
        # At once: a user who waits for long may want to look at the chat elsewhere.
        begun.append(id_)
        if is_new and not as_json:
            say_aside(f"chat {id_}")

    try:
        ended = run_loop(_say(client_from(flags), chat_id, saying, tell_id, as_json=as_json))
    except KeyboardInterrupt:
        for id_ in begun:
            say_aside(
                f"chatd: The agent goes on. `chatd watch {id_}` shows it, `chatd interrupt {id_}` stops it."
            )
        sys.exit(LEFT)
    if as_json:
        say_json(_report(ended))
    else:
        _say_how_it_ended(ended)
    sys.exit(ended.code)


def _meant(first: str | None, second: str | None, *, is_new: bool) -> tuple[str | None, str]:
    """In which chat to say what; with --new there is no chat yet, and the first word is the text."""
    if is_new:
        if second is not None:
            raise _misunderstood("With --new there is no ID. Put the text in quotes.", f"{first} {second}")
        return None, _something(_given(first), None)
    if first is None:
        raise _misunderstood("Say in which chat.", None)
    if second is None and _must_be_text(first):
        raise _misunderstood("Say in which chat.", first)
    return first, _something(_given(second), first)


def _must_be_text(word: str) -> bool:
    """Whether the only argument is the text, and the id is missing. From a pipe, which has the text, one word
    is an id, and the server says whether there is such a chat. At a terminal we would then wait for a text to
    be typed, so only what looks like an id is one.
    """
    return len(word.split()) != 1 or (sys.stdin.isatty() and not looks_like_id(word))


def _given(text: str | None) -> str:
    """The text, or what is on the standard input."""
    if text not in (None, "-"):
        return text
    if sys.stdin.isatty():
        say_aside("chatd: Type what to say; Ctrl-D at the beginning of a line sends it.")
    return sys.stdin.read()


def _something(words: str, chat_id: str | None) -> str:
    if words.strip():
        return words
    if chat_id is None or is_whole_id(chat_id):
        raise _misunderstood("There is nothing to say.", None, chat_id)
    raise _misunderstood("There is nothing to say, or it is not said in which chat.", chat_id)


def _misunderstood(why: str, text: str | None, chat_id: str | None = None) -> click.UsageError:
    """With the commands that may have been meant, to be copied."""
    words = shlex.quote(text) if text is not None and is_plain(text) else '"TEXT"'
    return click.UsageError(
        f"{why}\n"
        f"  To start a chat:  chatd send --new {words}\n"
        f"  To go on in one:  chatd send {chat_id or 'ID'} {words}    (`chatd ls` lists yours)"
    )


async def _say(
    client: AsyncClient, chat_id: str | None, saying: Saying, tell_id: Callable[[str], None], *, as_json: bool
) -> Ended:
    attached = [read_attachment(file) for file in saying.files]
    async with client:
        chat_id = await find_chat(client, chat_id) if chat_id is not None else None
        content: list[Mapping[str, Any]] = [{"type": "text", "text": saying.words}]
        content += [await _uploaded(client, file) for file in attached]
        asked: dict[str, Any] = {
            "model": saying.model,
            "reasoning_effort": saying.effort,
            "instructions": saying.instructions,
            "mcp_servers": saying.mcp_servers,
            "mode": saying.mode,
        }
        sent: Sent | None = None
        if chat_id is None:
            asked |= {"temporary": saying.temporary, "workspace": saying.workspace}
            chat_id = (await client.create_chat(content, **asked)).id
        else:
            sent = await client.send(chat_id, content, when=saying.when, **asked)
        tell_id(chat_id)
        await print_reply(client, chat_id, ReplyText(sent), as_json=as_json)
        chat = await client.chat(chat_id)
        page = await client.messages(chat_id, limit=200)
    said: list[Message] = []
    for message in page.messages:
        if message.role == "user":
            break
        said.insert(0, message)
    return Ended(chat=chat, messages=tuple(said), code=code_of(chat, said))


async def _uploaded(client: AsyncClient, file: Attachment) -> Mapping[str, Any]:
    added = await client.add_file(file.data, name=file.name, media_type=file.media_type)
    return {"type": "file", "file_id": added.id, "name": added.name}


def code_of(chat: Chat, said: Sequence[Message]) -> int:
    if chat.status == "error":
        return TURN_FAILED
    if chat.status == "requires_action":
        return WAITING
    if chat.finish_reason == "interrupted":
        return INTERRUPTED
    return FINISHED if any(_has_content(message) for message in said) else TURN_FAILED


def _has_content(message: Message) -> bool:
    """Thoughts and blanks are no answer; a call, a file or a source is one."""
    return any(
        part.text.strip() if part.type == "text" else part.type != "reasoning" for part in message.content
    )


def _report(ended: Ended) -> dict[str, object]:
    return {
        "type": "ended",
        "chat_id": ended.chat.id,
        "ended": WORDS[ended.code],
        "text": _answer(ended),
        "chat": ended.chat,
        "messages": ended.messages,
    }


def _say_how_it_ended(ended: Ended) -> None:
    if ended.code == TURN_FAILED:
        error = ended.chat.last_error
        say_aside(f"chatd: {explained(error) if error is not None else NOTHING_SAID}")
    if ended.code == INTERRUPTED:
        say_aside("chatd: The agent was interrupted.")
    if ended.code == FINISHED and ended.messages and ended.messages[-1].cut_off:
        say_aside(f"chatd: {CUT_OFF}")
    for awaited in ended.chat.waiting_for if ended.code == WAITING else ():
        say_aside("\n".join(["chatd: The agent waits:", *lines_of(awaited)]))
    if ended.code == WAITING and any(each.kind == "approval" for each in ended.chat.waiting_for):
        say_aside(f"chatd: `chatd approve {ended.chat.id}` allows it, `chatd deny` does not.")


def _answer(ended: Ended) -> str:
    texts = [text_of_reply(message) for message in ended.messages if message.role == "assistant"]
    return "\n\n".join(text for text in texts if text)
