from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from chatd.api.app import build
from chatd.api.serving.operating.readiness import REMEMBERED_SECONDS
from chatd.errors import Unavailable
from chatd.hints.memory import MemoryBus
from chatd.storage.health.outage import RECENT_SECONDS, Outage
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.clock import MovedClock
from tests.storage.sqlite.kept import MUCH, Kept, kept_in


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def outage(seconds: Seconds) -> Outage:
    return Outage(seconds)


@pytest.fixture
async def kept(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock, outage: Outage
) -> AsyncIterator[Kept]:
    async with kept_in(sqlite_template, tmp_path / "chatd.db", clock, outage) as kept:
        yield kept


@pytest.fixture
def anonymous(kept: Kept, outage: Outage, seconds: Seconds) -> Client:
    return Client(build(Store(kept.db, MemoryBus()), outage=outage, now_seconds=seconds))


async def test_a_database_that_can_be_read_and_not_written_is_not_ready(
    kept: Kept, anonymous: Client, seconds: Seconds
) -> None:
    kept.refuse_writes()

    with capture_logs() as logs:
        for _ in range(20):
            answer = await anonymous.get("/readyz")
            assert (answer.status, answer.error["code"]) == (503, "not_ready")
            seconds.now += REMEMBERED_SECONDS
        kept.accept_writes()
        seconds.now += RECENT_SECONDS
        assert (await anonymous.get("/readyz")).json == {"status": "ready"}

    events = [line["event"] for line in logs if line["event"] != "request.finished"]
    assert events == ["database.unavailable", "server.not_ready", "database.available"]


async def test_a_disk_that_is_full_is_not_ready_although_it_takes_what_is_small(
    kept: Kept, anonymous: Client, seconds: Seconds
) -> None:
    kept.fill()
    with pytest.raises(Unavailable):
        await kept.add(MUCH)
    await kept.add("small")

    assert (await anonymous.get("/readyz")).status == 503
    kept.make_room()
    seconds.now += RECENT_SECONDS
    assert (await anonymous.get("/readyz")).status == 200


async def test_frequent_probes_do_not_keep_the_database_busy(kept: Kept, anonymous: Client) -> None:
    before = kept.writer.total_changes

    for _ in range(20):
        assert (await anonymous.get("/readyz")).status == 200

    assert kept.writer.total_changes == before + 1
