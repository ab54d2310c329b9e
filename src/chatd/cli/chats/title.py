"""chatd title: what a chat is called, a name of your own for it, or one that a model finds."""

import click

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.kit.text import one_line


def run(
    *, chat_id: str, title: str | None, regenerate: bool, propose: bool, as_json: bool, **flags: object
) -> None:
    if sum((title is not None, regenerate, propose)) > 1:
        raise click.UsageError("Give a title, or --regenerate, or --propose.")
    shown = run_loop(_title(client_from(flags), chat_id, title, regenerate=regenerate, propose=propose))
    if as_json:
        say_json({"title": shown})
    else:
        say(one_line(shown))


async def _title(
    client: AsyncClient, chat_id: str, title: str | None, *, regenerate: bool, propose: bool
) -> str:
    async with client:
        found = await find_chat(client, chat_id)
        if propose:
            return await client.propose_title(found)
        if regenerate:
            return (await client.regenerate_title(found)).title
        if title is not None:
            return (await client.change_chat(found, title=title)).title
        return (await client.chat(found)).title
