"""Commands about chats: which one, its branches, its title, what it has cost, a file of it."""

import os
from pathlib import Path

from chatd.cli.chats.chat_id import find_chat, newest_prompt
from chatd.cli.chats.export import harmless
from chatd.cli.chats.local_time import local_time
from chatd.cli.talk.commands.talked import Talked, begun
from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.status_line import MICROS, SHORT_ID
from chatd.client.answers import Chat
from chatd.errors import Unusable
from chatd.kit.text import one_line, shortened, visible

LISTED = 15
TITLE_WIDTH = 50
PROMPTS_MAX = 200
_USAGE = {"input_tokens": "read", "output_tokens": "written", "cached_input_tokens": "of them cached"}


async def new(talk: Talked, _: str) -> None:
    await talk.go_to(None)
    talk.note("A new chat: it begins with your next message.")


async def list_chats(talk: Talked, words: str) -> None:
    page = await talk.client.chats(limit=LISTED, q=words or None)
    lines = [_line(chat, here=chat.id == talk.chat_id) for chat in page.chats]
    talk.note("\n".join([*lines, "/resume ID goes on in one of them."]) if lines else "There are none.")


async def resume(talk: Talked, given: str) -> None:
    if not given:
        await list_chats(talk, "")
        return
    chat = await talk.client.chat(await find_chat(talk.client, given))
    await talk.go_to(chat)
    talk.note(f"Here is “{one_line(chat.title)}”.")


async def title(talk: Talked, words: str) -> None:
    chat_id = begun(talk)
    if words:
        talk.facts.title = (await talk.client.change_chat(chat_id, title=words)).title
    talk.note(one_line(talk.facts.title))


async def edit(talk: Talked, number: str) -> None:
    """The message is put into the field, to be changed; Enter sends it instead of the one before."""
    chat_id = begun(talk)
    if number and not number.isdecimal():
        raise Unusable("Say which by its number: /edit NUMBER. Without one it is your last message.")
    if number:
        prompts = await talk.client.prompts(chat_id, limit=PROMPTS_MAX)
        prompt = next((each for each in prompts if each.id == int(number)), None)
        if prompt is None:
            raise Unusable(f"You have said no message {number}.")
    else:
        prompt = await newest_prompt(talk.client, chat_id)
    talk.editing = prompt.id
    talk.begin_with(prompt.text)
    talk.note("Change it and press Enter: what was said after it goes to another branch. Ctrl-C leaves it.")


async def branch(talk: Talked, number: str) -> None:
    chat_id = begun(talk)
    if number:
        if not number.isdecimal():
            raise Unusable("Say which by its number: /branch NUMBER.")
        await talk.client.switch_branch(chat_id, int(number))
        return
    found = await talk.client.branches(chat_id)
    lines = [f"{'*' if each.active else ' '} {each.id}  {local_time(each.created_at)}" for each in found]
    talk.note("\n".join([*lines, "/branch NUMBER goes there."]) if len(lines) > 1 else "There is one branch.")


async def diff(talk: Talked, _: str) -> None:
    chat_id = begun(talk)
    prompt = await newest_prompt(talk.client, chat_id)
    changed = await talk.client.diff(chat_id, prompt.id)
    if not changed.diff:
        talk.note("Nothing was changed.")
    for line in visible(changed.diff).splitlines():
        talk.note(line, Tone.DIFF)


async def cost(talk: Talked, _: str) -> None:
    chat = await talk.client.chat(begun(talk))
    talk.facts.cost_micros = chat.cost_micros_total
    used = chat.usage_total
    parts = [f"{used[name]:,} tokens {word}" for name, word in _USAGE.items() if used.get(name)]
    priced = f"${chat.cost_micros_total / MICROS:.4f}"
    if chat.unpriced_calls:
        priced += f", and {chat.unpriced_calls} calls whose price is not known"
    facts = talk.facts
    if facts.context_limit:
        parts.append(f"{facts.context_tokens:,} of {facts.context_limit:,} tokens of context used")
    talk.note("\n".join([f"This chat has cost {priced}.", *parts]))


async def export(talk: Talked, file: str) -> None:
    chat_id = begun(talk)
    path = Path(os.path.expanduser(file or f"chat-{chat_id[:SHORT_ID]}.md"))  # noqa: ASYNC240, PTH111
    kind = "json" if path.suffix == ".json" else "markdown"
    text = harmless(await talk.client.export(chat_id, format=kind), kind)
    _write_new(path, text)
    talk.note(f"Written to {path}.")


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise Unusable(f"{path} exists already. Name another file: /export FILE.") from error
    except OSError as error:
        raise Unusable(f"Cannot write {path}: {error.strerror}.") from error


def _line(chat: Chat, *, here: bool) -> str:
    name = shortened(one_line(chat.title), TITLE_WIDTH)
    mark = "*" if here else " "
    return f"{mark} {chat.id[:13]}  {local_time(chat.updated_at)}  {chat.status:<15}  {name}"
