"""chatd chat: talk in the terminal."""

import click
from msgspec import UNSET

from chatd.cli.catalog.choices import choices
from chatd.cli.chats.chat_id import find_chat, newest_chat
from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.cli.talk.choice import Choice
from chatd.cli.talk.showing.place import check_workspace
from chatd.cli.talk.talk import Talk
from chatd.cli.talk.typing.keyboard import keyboard
from chatd.client import AsyncClient
from chatd.errors import Unusable


def run(
    *,
    chat_id: str | None,
    model: str | None,
    effort: str | None,
    workspace: str | None,
    plan: bool,
    newest: bool = False,
    **flags: object,
) -> None:
    if workspace is not None and (chat_id is not None or newest):
        raise click.UsageError("A chat keeps its workspace: leave out the chat, or --workspace.")
    if chat_id is not None and newest:
        raise click.UsageError("--continue goes on in your newest chat: leave out the ID, or --continue.")
    place = UNSET if workspace is None else workspace
    choice = Choice(model=model, effort=effort, workspace=place, plan=plan, newest=newest)
    run_loop(talk_in_terminal(client_from(flags), chat_id, choice))


async def talk_in_terminal(
    client: AsyncClient, chat_id: str | None, choice: Choice, *, first: str | None = None
) -> None:
    """Until the user leaves. `first` is said before anything is typed."""
    talk = Talk(client, choice)
    async with client, keyboard(talk.aids()) as keys:
        # Ask the server now, so that one that cannot be reached is told before the user types.
        chat = None
        if chat_id is not None:
            chat = await client.chat(await find_chat(client, chat_id))
        elif choice.newest:
            chat = await newest_chat(client)
        elif not talk.is_person:
            # At a terminal, what is read for its first lines says so.
            await client.chats(limit=1)
        if isinstance(choice.workspace, str):
            await check_workspace(client, choice.workspace)
        if choice.model is not None:
            await check_model(client, choice.model)
        await talk.run(keys, chat, first)


async def check_model(client: AsyncClient, name: str) -> None:
    """Raises Unusable when no model has this name, before the user types."""
    models = await client.models()
    if not any(name in (each.name, each.model) for each in models):
        raise Unusable(f"There is no model {name!r}. {choices(models)}")
