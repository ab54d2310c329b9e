"""chatd send: say something, wait until the agent rests, print what it said.

How the turn ended is the exit code, so that a script need not read the words.
"""

import sys
from contextlib import aclosing

import click
from msgspec import Struct

from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Chat, Message
from chatd.client.events import ChatGone, StatusChanged
from chatd.errors import Unusable
from chatd.kit.codec import encode_text

FINISHED, TURN_FAILED, WAITING, INTERRUPTED = 0, 3, 4, 5

WORDS = {
    FINISHED: "finished",
    TURN_FAILED: "failed",
    WAITING: "waiting",
    INTERRUPTED: "interrupted",
}


class Ended(Struct, frozen=True, kw_only=True):
    chat: Chat
    # What was said since the user last spoke, in order.
    messages: tuple[Message, ...]
    code: int


def run(
    *,
    chat_id: str | None,
    text: str | None,
    is_new: bool,
    model: str | None,
    when: str | None,
    as_json: bool,
    **flags: object,
) -> None:
    chat_id, text = _meant(chat_id, text, is_new=is_new)
    words = text if text is not None and text != "-" else sys.stdin.read()
    if not words.strip():
        raise click.UsageError("There is nothing to say.")
    ended = run_loop(_say(client_from(flags), chat_id, words, model=model, when=when))
    if as_json:
        click.echo(encode_text(_report(ended)))
    else:
        _print(ended, tell_id=is_new)
    sys.exit(ended.code)


def _meant(chat_id: str | None, text: str | None, *, is_new: bool) -> tuple[str | None, str | None]:
    """With --new there is no id, so the first word is the text."""
    if is_new:
        if text is not None:
            raise click.UsageError("With --new there is no ID. Put the text in quotes.")
        return None, chat_id
    if chat_id is None:
        raise click.UsageError("Name a chat, or start one with --new.")
    return chat_id, text


async def _say(
    client: AsyncClient, chat_id: str | None, words: str, *, model: str | None, when: str | None
) -> Ended:
    async with client:
        if chat_id is None:
            chat_id = (await client.create_chat(words, model=model)).id
        else:
            await client.send(chat_id, words, model=model, when=when)
        await wait_until_rest(client, chat_id)
        chat = await client.chat(chat_id)
        page = await client.messages(chat_id, limit=200)
    said: list[Message] = []
    for message in page.messages:
        if message.role == "user":
            break
        said.insert(0, message)
    return Ended(chat=chat, messages=tuple(said), code=code_of(chat))


async def wait_until_rest(client: AsyncClient, chat_id: str) -> None:
    async with aclosing(client.stream(chat_id)) as events:
        async for event in events:
            if isinstance(event, StatusChanged) and event.status not in ("running", "interrupting"):
                return
            if isinstance(event, ChatGone):
                break
    raise Unusable("The chat was deleted.")


def code_of(chat: Chat) -> int:
    if chat.status == "error":
        return TURN_FAILED
    if chat.status == "requires_action":
        return WAITING
    return INTERRUPTED if chat.finish_reason == "interrupted" else FINISHED


def _report(ended: Ended) -> dict[str, object]:
    return {
        "chat_id": ended.chat.id,
        "ended": WORDS[ended.code],
        "text": _answer(ended),
        "chat": ended.chat,
        "messages": ended.messages,
    }


def _print(ended: Ended, *, tell_id: bool) -> None:
    if answer := _answer(ended):
        click.echo(answer)
    if ended.code == TURN_FAILED and ended.chat.last_error is not None:
        click.echo(f"chatd: The agent failed: {ended.chat.last_error.message}", err=True)
    for awaited in ended.chat.waiting_for if ended.code == WAITING else ():
        click.echo(f"chatd: The agent waits: {awaited.tool_name} needs a {awaited.kind}.", err=True)
    if tell_id:
        click.echo(f"chat {ended.chat.id}", err=True)


def _answer(ended: Ended) -> str:
    texts = [message.text for message in ended.messages if message.role == "assistant"]
    return "\n\n".join(text for text in texts if text)
