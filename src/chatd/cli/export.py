"""chatd export: a chat as a file."""

import sys
from pathlib import Path

from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.errors import Unusable


def run(*, chat_id: str, format: str, output: str | None, **flags: object) -> None:
    data = run_loop(_export(client_from(flags), chat_id, format))
    if output is None or output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise Unusable(f"Cannot write {output}: {error.strerror}.") from error


async def _export(client: AsyncClient, chat_id: str, format: str) -> bytes:
    async with client:
        return await client.export(chat_id, format=format)
