"""What merely is, as numbers: read when `/metrics` is asked for."""

import platform
from collections.abc import Iterable, Iterator
from functools import partial

from chatd import __version__
from chatd.api.serving.operating.metrics import Metrics, Reading, catalog_readings
from chatd.catalog.catalog import Catalog
from chatd.domain.call import CallState
from chatd.hints.bus import Bus
from chatd.live.episodes.board import Board
from chatd.live.live import Live
from chatd.live.streams import KINDS, Streams
from chatd.storage.database import ConnectionUse, Database, Pooled
from chatd.storage.health.census import Census, take_census
from chatd.storage.queries import SqlEngine
from chatd.worker.slots import Slots


def metrics_of(db: Database, bus: Bus, catalog: Catalog, live: Live, slots: Slots) -> Metrics:
    """All of them. What is added here goes into `tools/metrics.py` as well, for the reference."""
    metrics = Metrics()
    metrics.add(partial(build_readings, db.engine))
    metrics.add(partial(catalog_readings, catalog))
    metrics.add(partial(live_readings, live.streams, live.board))
    metrics.add(partial(slot_readings, slots))
    metrics.add(partial(bus_readings, bus))
    if isinstance(db, Pooled):
        metrics.add(lambda: connection_readings(db.connection_use()))
    metrics.add_query(partial(census_of, db))
    return metrics


def build_readings(engine: SqlEngine) -> Iterator[Reading]:
    labels = {"version": __version__, "python": platform.python_version(), "database": engine.value}
    yield _gauge("build_info", "Always 1: what runs here is in the labels.", 1, **labels)


def live_readings(streams: Streams, board: Board) -> Iterator[Reading]:
    for kind in KINDS:
        yield _gauge(
            "viewers",
            "Streams that are open: `of` a `chat`, a `list` of them or a chat for a `guest` with a public "
            "link; and `over` `sse` or `websocket`.",
            streams.counted(kind),
            of=kind.of,
            over=kind.over,
        )
    of_open, of_closed = board.spoken_bytes()
    for state, size in (("open", of_open), ("closed", of_closed)):
        yield _gauge(
            "episode_bytes",
            "What is kept of replies for viewers, as JSON: of those that are being said (`open`), and for "
            "some seconds of those that have ended (`closed`).",
            size,
            state=state,
        )
    yield _gauge(
        "reply_bytes",
        "What replies hold in memory until they are saved. At 256 MiB the longest are cut off.",
        board.reply_bytes.bytes,
    )


def slot_readings(slots: Slots) -> Iterator[Reading]:
    lines = {"work": (slots.work,), "provider": slots.all_asking()}
    for pool, each in lines.items():
        yield _gauge(
            "agents_active",
            "Chats that have a slot: to `work`, or to wait for the first byte of their `provider`.",
            sum(line.taken for line in each),
            pool=pool,
        )
        yield _gauge(
            "agents_queued_for_capacity",
            "Chats that wait until there is a slot for them, in the same two ways.",
            sum(line.waiting for line in each),
            pool=pool,
        )


def bus_readings(bus: Bus) -> Iterator[Reading]:
    yield _gauge(
        "bus_away",
        "1 while this server hears nothing of the others that share its database.",
        int(bus.is_away),
    )
    yield _gauge(
        "bus_lag_seconds",
        "How long what servers tell one another takes, as this one last measured it, every five seconds.",
        bus.lag_seconds,
    )


def connection_readings(use: ConnectionUse) -> Iterator[Reading]:
    for state, count in (("in_use", use.in_use), ("ready", use.ready)):
        yield _gauge(
            "database_connections",
            "Connections of this process to its database: `in_use` by a transaction, or `ready` for one.",
            count,
            state=state,
        )
    yield _gauge(
        "database_transactions_waiting",
        "Transactions for which there is no connection yet.",
        use.waiting,
    )


async def census_of(db: Database) -> Iterable[Reading]:
    return census_readings(await take_census(db))


def census_readings(census: Census) -> Iterator[Reading]:
    for state, count in (("driven", census.driven), ("waiting", census.waiting)):
        yield _gauge(
            "work_chats",
            "Chats of the whole database that have work to do: `driven` by a live worker, or `waiting` for "
            "one.",
            count,
            state=state,
        )
    yield _gauge(
        "work_waiting_seconds",
        "For how long nothing has happened to the first of the chats that wait for a worker, of the whole "
        "database.",
        census.waiting_seconds,
    )
    yield _gauge(
        "workers", "Workers of the whole database. A dead one counts for up to half a minute.", census.workers
    )
    yield _gauge(
        "lease_age_seconds",
        "How long ago the quietest worker of the whole database gave a sign of life. After 10 seconds others "
        "take its chats.",
        census.lease_seconds,
    )
    yield _gauge(
        "queued_messages",
        "Messages that wait until the agent is done with what came before them, of the whole database.",
        census.queued_messages,
    )
    for each in CallState:
        if each is not CallState.ANSWERED:
            yield _gauge(
                "calls",
                "Calls of tools that are not answered yet, by their state in the ledger, of the whole "
                "database.",
                census.calls.get(each.value, 0),
                state=each.value,
            )
            yield _gauge(
                "oldest_call_seconds",
                "For how long the oldest unanswered call has been in its state in the ledger, of the whole "
                "database: of the server's own tools, in chats that have work to do. Calls that clients or "
                "people answer may wait for days, and are not in it.",
                census.oldest_call_seconds.get(each.value, 0),
                state=each.value,
            )


def _gauge(name: str, meaning: str, value: float, /, **labels: str) -> Reading:
    return Reading(name=name, meaning=meaning, value=value, kind="gauge", labels=labels)
