"""The servers of one database know how many they are."""

from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.storage.database import Database
from chatd.storage.tables.replicas import Replica, live_replicas
from chatd.worker.membership import Membership
from tests.clock import MovedClock


def member(database: Database, clock: MovedClock, name: str, *, serves: bool = True) -> Membership:
    address = f"http://{name}" if serves else None
    replica = Replica(id=name, host=name, version="1", address=address, worker_id=f"worker {name}")
    return Membership(database, clock, replica)


async def names(database: Database) -> list[str]:
    return [each.replica.id for each in await live_replicas(database)]


async def test_each_learns_of_the_others_that_answer_requests(database: Database, clock: MovedClock) -> None:
    one, two = member(database, clock, "one"), member(database, clock, "two")
    works = member(database, clock, "works", serves=False)
    for each in (one, two, works, one):
        await each.beat()

    assert (one.serving(), two.serving()) == (2, 2)
    assert sorted(await names(database)) == ["one", "two", "works"]


async def test_one_that_leaves_is_gone_at_once(database: Database, clock: MovedClock) -> None:
    one, two = member(database, clock, "one"), member(database, clock, "two")
    await one.beat()
    await two.beat()
    await two.leave()
    await one.beat()

    assert one.serving() == 1
    assert await names(database) == ["one"]


async def test_one_that_is_quiet_for_too_long_is_not_counted_and_its_row_is_removed(
    database: Database, clock: MovedClock
) -> None:
    one, two = member(database, clock, "one"), member(database, clock, "two")
    await two.beat()
    await clock.advance(LEASE_STALE_MICROS / 1_000_000 + 1)
    await one.beat(sweep=True)

    assert one.serving() == 1
    rows = await database.read(lambda tx: tx.all("live_replicas", 2**60))
    assert [row[0] for row in rows] == ["one"]
