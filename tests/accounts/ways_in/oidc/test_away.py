"""How many browsers may be away at the provider, and who makes room for whom."""

import pytest

from chatd.accounts.ways_in.oidc.away import AWAY_LIMITS, AwayLimits, Begun, keep_begun, take_begun
from chatd.storage.database import Connection, Database
from tests.clock import MovedClock

HERE, CROWD = "192.0.2.1", "198.51.100.7"
BEGUN = Begun(issuer="https://id.example", return_to="/chats/1")
FEW = AwayLimits(in_all=10, of_network=6, leave_at_once=2)


class Door:
    """Where browsers begin, one after the other."""

    def __init__(self, db: Database, clock: MovedClock) -> None:
        self._db = db
        self._clock = clock

    async def begin(self, name: str, network: str) -> None:
        await keep_begun(self._db, BEGUN, state=name, secret=name, network=network, limits=FEW)
        await self._clock.advance(1)


@pytest.fixture
def door(database: Database, clock: MovedClock) -> Door:
    return Door(database, clock)


async def are_back(db: Database, *names: str) -> list[bool]:
    return [await take_begun(db, state=name, secret=name) == BEGUN for name in names]


async def count(db: Database) -> int:
    async def body(tx: Connection) -> int:
        row = await tx.one("count_oidc_states", AWAY_LIMITS.in_all)
        return int(row[0]) if row is not None else 0

    return await db.read(body)


async def test_of_one_address_the_oldest_make_room_for_the_newest(database: Database, door: Door) -> None:
    await door.begin("other", HERE)
    for number in range(FEW.of_network + 2):
        await door.begin(str(number), CROWD)

    assert await count(database) == FEW.of_network + 1
    assert await are_back(database, "0", "1", "2", "7", "other") == [False, False, True, True, True]


async def test_when_there_are_too_many_the_addresses_that_have_most_make_room(
    database: Database, door: Door
) -> None:
    """Somebody who begins first, and alone, is not in their way."""
    await door.begin("first", HERE)
    for crowd in ("a", "b"):
        for number in range(FEW.of_network):
            await door.begin(f"{crowd}{number}", crowd)

    await door.begin("last", "203.0.113.9")

    assert await count(database) <= FEW.in_all
    assert await are_back(database, "first", "last") == [True, True]


async def test_what_is_over_takes_no_room(database: Database, door: Door) -> None:
    for number in range(FEW.of_network):
        await door.begin(str(number), HERE)
    await database.write(lambda tx: tx.script("UPDATE oidc_states SET expires_at = 0;"))

    await door.begin("newest", HERE)

    assert await count(database) == 1
