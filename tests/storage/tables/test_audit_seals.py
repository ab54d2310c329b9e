"""Seals: who changes or removes a row of the audit is found out, and what the rules purge is not missed."""

import pytest

from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, AuditEntry, TargetKind, Via
from chatd.storage.database import Database
from chatd.storage.reads.audit import AuditRow, read_audit
from chatd.storage.tables.audit import record
from chatd.storage.tables.audit_seals import (
    blank_addresses,
    purge_audit,
    seal_audit,
    verify_audit,
)
from tests.clock import MovedClock
from tests.traceability import proves

HOUR_SECONDS = 3600
DAY_SECONDS = 24 * HOUR_SECONDS
INSERTED = (
    "INSERT INTO audit (id, at, via, deed, target_kind, target_id, outcome, changes) "
    "SELECT '0', at, via, deed, target_kind, 'x', outcome, changes FROM audit WHERE target_id = 'c'"
)
BY = AskedBy(via=Via.TOKEN, actor_id=UserId("anna"), address="192.0.2.1")


async def done(database: Database, *targets: str) -> None:
    for target in targets:
        entry = AuditEntry(deed=AuditDeed.USER_CHANGED, target_kind=TargetKind.USER, target_id=target)
        await database.write(lambda tx, entry=entry: record(tx, BY, entry))  # type: ignore[misc]


async def an_hour_each(database: Database, clock: MovedClock, *hours: str) -> None:
    """What was done in each hour, with a seal at its end."""
    for letters in hours:
        await done(database, *letters)
        await clock.advance(HOUR_SECONDS)
        assert await seal_audit(database)
        assert not await seal_audit(database)


async def rows_of(database: Database) -> list[AuditRow]:
    return await read_audit(database, settled_micros=-1)


async def broken(database: Database) -> tuple[int, ...]:
    return (await verify_audit(database)).broken


async def test_seals_that_fit_their_rows_are_counted(database: Database, clock: MovedClock) -> None:
    assert (await verify_audit(database)).newest is None
    await an_hour_each(database, clock, "ab", "c")
    await done(database, "d")

    verified = await verify_audit(database)
    assert (verified.seals, verified.entries, verified.broken) == (2, 3, ())
    assert verified.newest is not None
    assert verified.newest.number == 2


async def test_what_was_just_written_is_not_sealed_yet(database: Database, clock: MovedClock) -> None:
    await done(database, "a")
    assert not await seal_audit(database)
    await clock.advance(601)
    assert await seal_audit(database)


@proves("people", 61)
@pytest.mark.parametrize(
    ("tampering", "named"),
    [
        ("UPDATE audit SET actor_id = 'berta' WHERE target_id = 'c'", (2,)),
        ("UPDATE audit SET changes = '{\"role\":1}' WHERE target_id = 'a'", (1,)),
        ("DELETE FROM audit WHERE target_id = 'c'", (2,)),
        ("DELETE FROM audit WHERE target_id IN ('a', 'b')", (1,)),
        ("UPDATE audit SET at = at + 1 WHERE target_id = 'e'", (3,)),
        (INSERTED, (2,)),
        ("UPDATE audit_seals SET hash = 'changed' WHERE number = 1", (1, 2)),
        ("DELETE FROM audit_seals WHERE number = 2", (2, 3)),
        ("DELETE FROM audit_seals WHERE number = 1", (2,)),
    ],
)
async def test_a_row_that_was_changed_removed_or_put_in_between_is_told_by_its_seal(
    database: Database, clock: MovedClock, tampering: str, named: tuple[int, ...]
) -> None:
    await an_hour_each(database, clock, "ab", "cd", "ef")
    assert await broken(database) == ()

    await database.write(lambda tx: tx.script(f"{tampering};"))

    assert await broken(database) == named


@proves("people", 61)
async def test_after_a_purge_the_seals_still_fit(database: Database, clock: MovedClock) -> None:
    await an_hour_each(database, clock, "ab", "cd")
    await clock.advance(399 * DAY_SECONDS)
    await an_hour_each(database, clock, "ef")
    assert not await purge_audit(database)

    await clock.advance(DAY_SECONDS)
    assert [await purge_audit(database) for _ in range(3)] == [True, True, False]

    targets = {row.target_id for row in await rows_of(database)}
    assert targets == {"e", "f", "purge_audit"}
    assert await broken(database) == ()
    await clock.advance(HOUR_SECONDS)
    assert await seal_audit(database)
    verified = await verify_audit(database)
    assert (verified.entries, verified.broken) == (4, ())
    await database.write(lambda tx: tx.script("DELETE FROM audit WHERE target_id = 'e';"))
    assert await broken(database) == (3,)


async def test_who_removes_all_rows_of_the_first_seal_has_not_purged_them(
    database: Database, clock: MovedClock
) -> None:
    await an_hour_each(database, clock, "ab", "cd")

    await database.write(
        lambda tx: tx.script(
            "DELETE FROM audit WHERE target_id < 'c'; DELETE FROM audit_seals WHERE number < 1;"
        )
    )

    assert await broken(database) == (1,)


async def test_addresses_go_after_ninety_days_and_the_seals_still_fit(
    database: Database, clock: MovedClock
) -> None:
    await an_hour_each(database, clock, "ab")
    await clock.advance(90 * DAY_SECONDS)
    await an_hour_each(database, clock, "c")

    assert [await blank_addresses(database) for _ in range(2)] == [True, False]

    told = {row.target_id: row.address for row in await rows_of(database)}
    assert told == {"a": None, "b": None, "c": "192.0.2.1", "blank_addresses": None}
    assert await broken(database) == ()
