"""Slow periodic work that no chat waits for."""

import structlog

from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.storage.files import remove_unused_files

log = structlog.get_logger()

# After a start, and from then on. A server that is started often does its chores too.
FIRST_CHORES_SECONDS = 60.0
CHORES_SECONDS = 3600.0

# Files of one transaction: the largest have 10 MiB, and others wait for the database meanwhile.
FILES_AT_ONCE = 10
FILES_PAUSE_SECONDS = 1.0


async def do_chores(db: Database, clock: Clock) -> None:
    """For as long as the server runs. What cannot be done now is done an hour later."""
    await clock.sleep(FIRST_CHORES_SECONDS)
    while True:
        try:
            await _remove_unused_files(db, clock)
        except Unavailable:
            pass  # The database has said so in the log.
        except Exception:
            log.exception("chores.failed")
        await clock.sleep(CHORES_SECONDS)


async def _remove_unused_files(db: Database, clock: Clock) -> None:
    removed = 0
    while some := await remove_unused_files(db, limit=FILES_AT_ONCE):
        removed += some
        await clock.sleep(FILES_PAUSE_SECONDS)
    if removed:
        log.info("files.removed", count=removed, reason="no chat refers to them")
