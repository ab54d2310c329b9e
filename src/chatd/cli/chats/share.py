"""chatd share and chatd unshare: who else may read or write a chat."""

from collections.abc import Sequence

import click

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Grant
from chatd.kit.text import one_line

ALL = "all"


def share(
    *,
    chat_id: str,
    name: str | None,
    write: bool,
    group: bool,
    everyone: bool,
    until: str | None,
    as_json: bool,
    **flags: object,
) -> None:
    whom = _whom(name, group=group, everyone=everyone)
    role = "writer" if write else "reader"
    grants = run_loop(_share(client_from(flags), chat_id, whom, role, until))
    if as_json:
        say_json(grants)
        return
    for each in grants:
        until = f" until {local_time(each.expires_at)}" if each.expires_at else ""
        subject = "everyone" if each.kind == "everyone" else f"{each.kind} {one_line(each.name)}"
        say(f"{each.role}\t{subject}{until}")


def unshare(*, chat_id: str, name: str | None, group: bool, everyone: bool, **flags: object) -> None:
    whom = _whom(name, group=group, everyone=everyone)
    if whom is None:
        raise click.UsageError("Say with whom: a NAME, or --everyone.")
    run_loop(_unshare(client_from(flags), chat_id, *whom))
    say("It is not shared with them any more.")


def _whom(name: str | None, *, group: bool, everyone: bool) -> tuple[str, str] | None:
    """The kind, and the name or id."""
    if everyone:
        if name is not None or group:
            raise click.UsageError("--everyone goes without a NAME.")
        return "everyone", ALL
    if name is None:
        return None
    return ("group" if group else "user"), name


async def _share(
    client: AsyncClient, chat_id: str, whom: tuple[str, str] | None, role: str, until: str | None
) -> Sequence[Grant]:
    async with client:
        found = await find_chat(client, chat_id)
        if whom is None:
            return await client.grants(found)
        kind, subject = whom
        return (await client.share(found, subject, kind=kind, role=role, expires_at=until),)


async def _unshare(client: AsyncClient, chat_id: str, kind: str, subject: str) -> None:
    async with client:
        await client.unshare(await find_chat(client, chat_id), subject, kind=kind)
