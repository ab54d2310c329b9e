"""A process that restores, to be killed: it is given the root, and perhaps a message."""

import asyncio
import sys
from pathlib import Path

from chatd.domain.ids import MessageId
from tests.workspaces.local.checkpoints.project import CHAT, points_of, quietly


async def main(root: str, message: str | None = None) -> None:
    message_id = MessageId(int(message)) if message is not None else None
    await points_of(Path(root)).restore(CHAT, message_id, quietly)


asyncio.run(main(*sys.argv[1:]))
