"""The server itself: whether it lives, whether it can work, and what it offers."""

from msgspec import Raw

from chatd.api.bodies import Health, Nothing
from chatd.api.failures import NotReady
from chatd.api.router import Asked, Download


async def alive(_: Asked[Nothing, Nothing]) -> Health:
    return Health(status="ok")


async def ready(asked: Asked[Nothing, Nothing]) -> Health:
    """The database can be read and written, and its schema is the one that this program knows."""
    if await asked.server.readiness.reason_against() is not None:
        raise NotReady(
            "not_ready", "The database cannot be used at the moment.", hint="The server's log says why."
        )
    return Health(status="ready")


async def describe(asked: Asked[Nothing, Nothing]) -> Raw:
    return Raw(await asked.server.document.value())


async def measure(asked: Asked[Nothing, Nothing]) -> Download:
    await asked.server.metrics.ask()
    text, media_type = asked.server.metrics.written()
    return Download(data=text, media_type=media_type)
