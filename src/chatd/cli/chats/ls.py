"""chatd ls: the caller's chats, one on each line."""

from collections.abc import Sequence
from typing import Any

import click

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Chat, ChatPage, ChildList
from chatd.kit.text import one_line, shortened

TITLE_WIDTH = 60
LABEL_WIDTH = 60
# As the help of --limit says.
LIMIT_DEFAULT = 50


def run(
    *,
    limit: int | None,
    children: str | None,
    archived: bool,
    shared: bool,
    search: str | None,
    title: str | None,
    labels: Sequence[str],
    as_json: bool,
    **flags: object,
) -> None:
    if children is not None:
        _show_children(run_loop(_children(client_from(flags), children)), as_json=as_json)
        return
    wanted = dict(_label(word) for word in labels)
    page = run_loop(
        _list(
            client_from(flags),
            limit=limit or LIMIT_DEFAULT,
            archived=archived,
            q=search,
            title=title,
            labels=wanted,
            source="shared" if shared else None,
        )
    )
    if as_json:
        say_json(page)
        return
    for chat in page.chats:
        say(_line(chat))
        _say_waits(chat)
        for child in chat.children.waiting:
            for each in child.waiting_for:
                say(f"    {child.chat_id} waits for {each.kind}: {one_line(each.tool_name)}")
        if chat.found is not None and chat.found.message_id is not None:
            say(f"    {chat.found.message_id}: {one_line(chat.found.snippet)}")
    if not page.chats:
        say_aside(_nothing(search=search, shared=shared))
    # Who has said how many knows that there may be more.
    if page.next is not None and limit is None:
        say_aside("There are more; --limit shows up to 200.")


def _nothing(*, search: str | None, shared: bool) -> str:
    if search:
        return "No chat has all these words."
    return "Nothing is shared with you." if shared else "There are none. `chatd chat` starts one."


def _show_children(found: ChildList, *, as_json: bool) -> None:
    if as_json:
        say_json(found)
        return
    for chat in found.chats:
        say(f"{_line(chat)}  ({chat.agent_type or 'general'})")
        _say_waits(chat)
    if not found.chats:
        say_aside("No chat works for this one.")


def _say_waits(chat: Chat) -> None:
    for each in chat.waiting_for:
        say(f"    waits for {each.kind}: {one_line(each.tool_name)}")


async def _children(client: AsyncClient, chat_id: str) -> ChildList:
    async with client:
        return await client.children(await find_chat(client, chat_id))


async def _list(client: AsyncClient, **wanted: Any) -> ChatPage:
    async with client:
        return await client.chats(**wanted)


def _label(word: str) -> tuple[str, str]:
    key, colon, value = word.partition(":")
    if not colon:
        raise click.BadParameter(f"{word!r} is not of the form KEY:VALUE.", param_hint="--label")
    return key, value


def _line(chat: Chat) -> str:
    moment = local_time(chat.updated_at)
    title = shortened(one_line(chat.title), TITLE_WIDTH)
    label = shortened(one_line(chat.last_turn_summary or ""), LABEL_WIDTH)
    owner = f"  ({one_line(chat.owner.name)})" if chat.access != "owner" else ""
    return f"{chat.id}  {chat.status:<15}  {moment}  {title}{owner}{label and '  · ' + label}"
