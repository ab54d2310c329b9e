"""chatd mark: what one marks in a chat for oneself."""

import time

import click

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Marks

# Above every message.
ALL_READ = 2**53 - 1


def run(
    *, chat_id: str, read: bool | None, pin: bool | None, mute: bool | None, as_json: bool, **flags: object
) -> None:
    if read is None and pin is None and mute is None:
        raise click.UsageError("Say what to mark: --read, --pin or --mute, or the opposite of one of them.")
    marks = run_loop(_mark(client_from(flags), chat_id, read=read, pin=pin, mute=mute))
    if as_json:
        say_json(marks)
        return
    words = (
        "unread" if marks.has_unread else "read",
        "pinned" if marks.pin_order else "not pinned",
        "muted" if marks.muted else "not muted",
    )
    say(", ".join(words))


async def _mark(
    client: AsyncClient, chat_id: str, *, read: bool | None, pin: bool | None, mute: bool | None
) -> Marks:
    async with client:
        return await client.mark(
            await find_chat(client, chat_id),
            read_id=None if read is None else ALL_READ if read else 0,
            # Below those that were pinned before, as the web page does it.
            pin_order=None if pin is None else int(time.time()) if pin else 0,
            muted=mute,
        )
