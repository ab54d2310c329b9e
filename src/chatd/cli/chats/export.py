"""chatd export: a chat as a file."""

from collections.abc import Callable, Mapping
from pathlib import Path

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say_bytes
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.errors import Unusable
from chatd.kit.text import visible, visible_json

# A file is shown on a terminal sooner or later, so it is as harmless as what is printed.
_HARMLESS: Mapping[str, Callable[[str], str]] = {"json": visible_json, "markdown": visible}


def run(*, chat_id: str, format: str, output: str | None, **flags: object) -> None:
    exported = run_loop(_export(client_from(flags), chat_id, format))
    data = harmless(exported, format).encode()
    if output is None or output == "-":
        say_bytes(data)
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise Unusable(f"Cannot write {output}: {error.strerror}.") from error


def harmless(exported: bytes, format: str) -> str:
    return _HARMLESS[format](exported.decode("utf-8", "replace"))


async def _export(client: AsyncClient, chat_id: str, format: str) -> bytes:
    async with client:
        return await client.export(await find_chat(client, chat_id), format=format)
