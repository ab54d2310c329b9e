"""chatd watch: what happens in a chat, as it happens."""

import sys
from contextlib import aclosing

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say_json
from chatd.cli.remote import client_from
from chatd.cli.talk.drawing.screen import screen
from chatd.cli.talk.showing.transcript import Transcript
from chatd.client import AsyncClient
from chatd.client.events import UnknownEvent


def run(*, chat_id: str, as_json: bool, **flags: object) -> None:
    try:
        run_loop(_watch(client_from(flags), chat_id, as_json=as_json))
    except KeyboardInterrupt:
        return  # That is how one stops watching.


async def _watch(client: AsyncClient, chat_id: str, *, as_json: bool) -> None:
    shown, transcript = screen(), Transcript()
    async with client:
        # A server that cannot be reached is an error now; one that goes away later is waited for.
        chat_id = await find_chat(client, chat_id)
        await client.chat(chat_id)
        try:
            async with aclosing(client.stream(chat_id)) as events:
                async for event in events:
                    if as_json:
                        say_json(event.data if isinstance(event, UnknownEvent) else event)
                        sys.stdout.flush()
                    else:
                        shown.show_all(transcript.pieces_of(event))
        finally:
            # What comes after us, such as the prompt of a shell, begins on a line of its own.
            shown.show_all(transcript.end_line())
