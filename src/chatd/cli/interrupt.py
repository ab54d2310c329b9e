"""chatd interrupt: stop the agent."""

import click

from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Chat
from chatd.kit.codec import encode_text


def run(*, chat_id: str, as_json: bool, **flags: object) -> None:
    chat = run_loop(_interrupt(client_from(flags), chat_id))
    click.echo(encode_text(chat) if as_json else f"The chat is {chat.status.replace('_', ' ')}.")


async def _interrupt(client: AsyncClient, chat_id: str) -> Chat:
    async with client:
        return await client.interrupt(chat_id)
