"""chatd import: a new chat from an exported one."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Chat
from chatd.errors import Unusable
from chatd.kit.codec import Decoder

_object: Decoder[dict[str, Any]] = Decoder(dict[str, Any])


def run(*, file: str, as_json: bool, **flags: object) -> None:
    exported = _read(file)
    chat = run_loop(_import(client_from(flags), exported))
    if as_json:
        say_json(chat)
    else:
        say(chat.id)


def _read(file: str) -> dict[str, Any]:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Unusable(f"Cannot read {file}: {error.strerror}.") from error
    try:
        return _object.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unusable(f"{file} does not hold an exported chat: {error}.") from error


async def _import(client: AsyncClient, exported: dict[str, Any]) -> Chat:
    async with client:
        return await client.import_chat(exported)
