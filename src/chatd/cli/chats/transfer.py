"""chatd transfer: a chat gets another owner."""

import click

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Transfer
from chatd.kit.text import one_line


def run(
    *,
    chat_id: str | None,
    name: str | None,
    keep: str,
    reason: str,
    accept: bool,
    decline: bool,
    withdraw: bool,
    as_json: bool,
    **flags: object,
) -> None:
    answers = sum((accept, decline, withdraw, name is not None))
    if answers > 1 or (chat_id is None and answers) or (chat_id is not None and not answers):
        raise click.UsageError("Name a chat and a user, or a chat and --accept, --decline or --withdraw.")
    client = client_from(flags)
    if chat_id is None:
        _list(run_loop(_offers(client)), as_json=as_json)
    elif name is not None:
        made = run_loop(_offer(client, chat_id, name, keep, reason))
        _say_offer(made, as_json=as_json)
    else:
        run_loop(_answer(client, chat_id, accept=accept, decline=decline))
        say("It is yours." if accept else "The offer is gone.")


def _list(offers: tuple[Transfer, ...], *, as_json: bool) -> None:
    if as_json:
        say_json(offers)
        return
    for each in offers:
        until = local_time(each.expires_at)
        say(f"{each.chat_id}\tfrom {one_line(each.by_name)}\tuntil {until}\t{one_line(each.title)}")


def _say_offer(made: Transfer, *, as_json: bool) -> None:
    if as_json:
        say_json(made)
    elif made.done:
        say(f"It is {one_line(made.to_name)}'s now.")
    else:
        say(f"Offered to {one_line(made.to_name)} until {local_time(made.expires_at)}.")


async def _offers(client: AsyncClient) -> tuple[Transfer, ...]:
    async with client:
        return await client.transfers()


async def _offer(client: AsyncClient, chat_id: str, name: str, keep: str, reason: str) -> Transfer:
    async with client:
        found = await find_chat(client, chat_id)
        return await client.offer_chat(found, name, keep=keep, reason=reason)


async def _answer(client: AsyncClient, chat_id: str, *, accept: bool, decline: bool) -> None:
    async with client:
        if accept:
            await client.accept_chat(chat_id)
        elif decline:
            await client.decline_chat(chat_id)
        else:
            await client.withdraw_chat(await find_chat(client, chat_id))
