"""A process that restores, and kills itself in the middle: it is given the root, and perhaps a message."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from chatd.domain.ids import MessageId
from tests.workspaces.local.checkpoints.project import CHAT, points_of, quietly

# Files that were put in place, or were about to be.
KILLED_AT = 20
_IN_PLACE = frozenset({"os.link", "os.rename"})

placed = 0


def die_in_the_middle(event: str, args: tuple[Any, ...]) -> None:
    """Before the file is in its place. What is put back is named by the directory that it is in."""
    global placed  # noqa: PLW0603 - a hook has no other place
    if event in _IN_PLACE and args[-1] >= 0:
        placed += 1
        if placed == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(root: str, message: str | None = None) -> None:
    message_id = MessageId(int(message)) if message is not None else None
    await points_of(Path(root)).restore(CHAT, message_id, quietly)


if __name__ == "__main__":
    sys.addaudithook(die_in_the_middle)
    asyncio.run(main(*sys.argv[1:]))
