"""chatd share --link, chatd share --links and chatd unshare --link: links with which anybody reads a chat."""

from collections.abc import Mapping, Sequence
from typing import Any

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.remote import client_from, url_from
from chatd.client import AsyncClient
from chatd.client.answers import PublicLink


def make(
    *,
    chat_id: str,
    days: int | None,
    live: bool,
    include: Sequence[str],
    as_json: bool,
    **flags: object,
) -> None:
    made = run_loop(_make(client_from(flags), chat_id, days=days, live=live, include=include))
    address = _address(flags, made.code or "")
    if as_json:
        say_json({"link": address, "public_link": made})
        return
    shown = "what was said, and what is said from now on" if made.live else "what was said up to now"
    beside = f", and {_listed(made.include)}" if made.include else ""
    say(address)
    say_aside(
        f"Anybody who has this link reads the chat until {made.expires_at}: {shown}{beside}. "
        f"The link is shown only here; `chatd unshare {chat_id} --link {made.id}` ends it."
    )


def list_(*, chat_id: str, as_json: bool, **flags: object) -> None:
    found = run_loop(_links(client_from(flags), chat_id))
    if as_json:
        say_json(found)
        return
    for line in (
        table(("ID", "ENDS", "SHOWS", "BESIDE WORDS", "OPENED"), [*map(_row, found)]) if found else ()
    ):
        say(line)


def end(*, chat_id: str, link: str, **flags: object) -> None:
    run_loop(_end(client_from(flags), chat_id, link))
    say("Nobody reads it by this link any more.")


async def _make(client: AsyncClient, chat_id: str, **wish: Any) -> PublicLink:
    async with client:
        return await client.make_public_link(await find_chat(client, chat_id), **wish)


async def _links(client: AsyncClient, chat_id: str) -> Sequence[PublicLink]:
    async with client:
        return await client.public_links(await find_chat(client, chat_id))


async def _end(client: AsyncClient, chat_id: str, link_id: str) -> None:
    async with client:
        await client.end_public_link(await find_chat(client, chat_id), link_id)


def _row(link: PublicLink) -> tuple[str, ...]:
    shown = "live" if link.live else "up to its making"
    return link.id, link.expires_at, shown, _listed(link.include), str(link.opened)


def _listed(include: Sequence[str]) -> str:
    return ", ".join(include) or "-"


def _address(flags: Mapping[str, object], code: str) -> str:
    """Behind the #, no server and no log on the way sees the code."""
    settings = settings_from({name: flags.get(name) for name in ("config", "data_dir")})
    return f"{(settings.public_url or url_from(flags, settings)).rstrip('/')}/s#{code}"
