"""chatd interrupt: stop the agent."""

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Chat


def run(*, chat_id: str, only: bool, as_json: bool, **flags: object) -> None:
    chat = run_loop(_interrupt(client_from(flags), chat_id, cascade=not only))
    if as_json:
        say_json(chat)
    else:
        say(f"The chat is {chat.status.replace('_', ' ')}.")


async def _interrupt(client: AsyncClient, chat_id: str, *, cascade: bool) -> Chat:
    async with client:
        return await client.interrupt(await find_chat(client, chat_id), cascade=cascade)
