"""Reading what is pinned to a chat of its workspace."""

from collections.abc import Iterable

import structlog

from chatd.domain.ids import ChatId
from chatd.domain.workspace.context import Resource
from chatd.storage.database import Connection, Database, Pace, Row
from chatd.storage.rows import resource_of

log = structlog.get_logger()


async def read_resources(db: Database, chat_id: ChatId) -> tuple[Resource, ...]:
    """Everything, without the texts."""
    return await db.read(lambda tx: resources_in(tx, chat_id), pace=Pace.ONE_QUERY)


async def resources_in(tx: Connection, chat_id: ChatId) -> tuple[Resource, ...]:
    return _readable(chat_id, await tx.all("read_context", chat_id))


async def read_for_prompt(db: Database, chat_id: ChatId) -> tuple[Resource, ...]:
    """Instruction files and skills that are `ok`; of skills without their texts."""
    rows = await db.read(lambda tx: tx.all("read_context_for_prompt", chat_id), pace=Pace.ONE_QUERY)
    return _readable(chat_id, rows)


async def read_skill_body(db: Database, chat_id: ChatId, source: str) -> str | None:
    """None: no such skill is pinned any more."""
    row = await db.read(lambda tx: tx.one("read_skill_body", chat_id, source), pace=Pace.ONE_QUERY)
    return str(row[0]) if row is not None else None


def _readable(chat_id: ChatId, rows: Iterable[Row]) -> tuple[Resource, ...]:
    """A row that a newer program has written, or that is damaged, must not stop the chat."""
    found: list[Resource] = []
    skipped = 0
    for row in rows:
        try:
            found.append(resource_of(row))
        except ValueError:
            skipped += 1
    if skipped:
        log.warning("context.unreadable", chat_id=chat_id, skipped=skipped)
    return tuple(found)
