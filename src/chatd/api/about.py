"""The server itself: whether it lives, whether it can work, and what it offers."""

import asyncio

import structlog
from msgspec import Raw

from chatd.api.bodies import Health, Nothing
from chatd.api.failures import NotReady
from chatd.api.router import Asked, Download
from chatd.storage.migrate import check_schema

log = structlog.get_logger()

READY_SECONDS = 5.0


async def alive(_: Asked[Nothing, Nothing]) -> Health:
    return Health(status="ok")


async def ready(asked: Asked[Nothing, Nothing]) -> Health:
    """The database answers, and its schema is the one that this program knows."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            await check_schema(asked.store.db)
    except Exception as error:  # whatever it is, the answer is the same, and the log has the reason
        log.warning("database.unusable", error=str(error), kind=type(error).__name__)
        raise NotReady(
            "not_ready", "The database cannot be used at the moment.", hint="The server's log says why."
        ) from error
    return Health(status="ready")


async def describe(asked: Asked[Nothing, Nothing]) -> Raw:
    return Raw(asked.server.document)


async def measure(asked: Asked[Nothing, Nothing]) -> Download:
    text, media_type = asked.server.metrics.written()
    return Download(data=text, media_type=media_type)
