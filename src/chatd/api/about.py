"""The server itself: whether it lives, whether it can work, and what it offers."""

from chatd.api.bodies import Health, Nothing
from chatd.api.bodies.replicas import ReplicaList, replica_view
from chatd.api.failures import NotReady
from chatd.api.router import Asked, Download
from chatd.api.serving.assets import Asset
from chatd.storage.tables.replicas import live_replicas


async def alive(_: Asked[Nothing, Nothing]) -> Health:
    return Health(status="ok")


async def ready(asked: Asked[Nothing, Nothing]) -> Health:
    """The database can be read and written, its schema is the one we know, and the server is not stopping."""
    if asked.server.live.streams.ended:
        # A connection that was open before is still answered. Its next request should go to another server.
        raise NotReady("not_ready", "The server is stopping.", hint="Ask another one, or this one later.")
    if await asked.server.readiness.reason_against() is not None:
        raise NotReady(
            "not_ready", "The database cannot be used at the moment.", hint="The server's log says why."
        )
    return Health(status="ready")


async def replicas(asked: Asked[Nothing, Nothing]) -> ReplicaList:
    """The servers that share this database, as each tells of itself."""
    found = await live_replicas(asked.server.store.db)
    return ReplicaList(replicas=tuple(map(replica_view, found)))


async def describe(asked: Asked[Nothing, Nothing]) -> Asset:
    return await asked.server.document.value()


async def measure(asked: Asked[Nothing, Nothing]) -> Download:
    await asked.server.metrics.ask()
    text, media_type = asked.server.metrics.written()
    return Download(data=text, media_type=media_type)
