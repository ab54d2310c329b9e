"""Seals over the audit: each is a hash over the seal before it and the rows since. And the end of old rows.

Whoever changes or removes a row, or puts one in between, has to change every seal from there on. The hash of
the newest one, noted elsewhere, then tells. Addresses are in no hash: they go long before their rows do.
"""

import hashlib
from collections.abc import Iterable

from msgspec import Struct

from chatd.domain.ids import Micros
from chatd.domain.people.audit import THE_SERVER, chore_done
from chatd.kit.codec import encode
from chatd.storage.database import Connection, Database, Row
from chatd.storage.reads.audit import AuditPlace, AuditRow, audit_row_of
from chatd.storage.tables.audit import record

DAY_MICROS = 24 * 3600 * 1_000_000
# Until then no transaction that wrote a row is still under way.
SEALED_AFTER_MICROS = 10 * 60 * 1_000_000
# Rows of one seal, and those that are read at once.
SEALED_ROWS_MAX = 10_000
ROWS_AT_ONCE = 1_000
SEALS_AT_ONCE = 100
KEPT_MICROS = 400 * DAY_MICROS
ADDRESS_KEPT_MICROS = 90 * DAY_MICROS
# Seals that are named when they do not fit their rows; one is enough to worry.
BROKEN_MAX = 100

_BEGINNING = AuditPlace(Micros(-1), "")


class Seal(Struct, frozen=True):
    number: int
    at: Micros
    up_to_at: Micros
    up_to_id: str
    entries: int
    hash: str

    @property
    def place(self) -> AuditPlace:
        return AuditPlace(self.up_to_at, self.up_to_id)


class Verified(Struct, frozen=True, kw_only=True):
    """What came of looking at all seals."""

    seals: int
    entries: int
    # The numbers of those that do not fit, or are missing.
    broken: tuple[int, ...]
    newest: Seal | None


async def seal_audit(db: Database) -> bool:
    """Seal some of the rows that are old enough. Whether there were any."""

    async def body(tx: Connection) -> bool:
        row = await tx.one("last_audit_seal")
        last = Seal(*row) if row is not None else None
        place, seal = last.place if last else _BEGINNING, _Sealing(last)
        while seal.entries < SEALED_ROWS_MAX:
            rows = await _rows(tx, "audit_to_seal", *_columns(place), SEALED_AFTER_MICROS, ROWS_AT_ONCE)
            seal.add(rows)
            if rows:
                place = rows[-1].place
            if len(rows) < ROWS_AT_ONCE:
                break
        if not seal.entries:
            return False
        number = last.number + 1 if last else 1
        await tx.run("insert_audit_seal", number, place.at, place.id, seal.entries, seal.hash)
        return True

    return await db.write(body)


async def verify_audit(db: Database) -> Verified:
    """Compute every seal anew. Each is read by itself: the audit grows meanwhile."""
    seals, entries = 0, 0
    broken: list[int] = []
    before: Seal | None = None
    row = await db.read(lambda tx: tx.one("audit_now"))
    assert row is not None
    purged_before = row[0] - KEPT_MICROS
    while found := await _seals_after(db, before.number if before else 0):
        for seal in found:
            if len(broken) >= BROKEN_MAX:
                return Verified(seals=seals, entries=entries, broken=tuple(broken), newest=before)
            if seal.number != (before.number + 1 if before else seal.number):
                broken.append(seal.number - 1)
            computed = await _computed(db, before, seal)
            if not _fits(seal, before, computed, purged_before):
                broken.append(seal.number)
            seals, entries, before = seals + 1, entries + computed.entries, seal
    return Verified(seals=seals, entries=entries, broken=tuple(dict.fromkeys(broken)), newest=before)


async def purge_audit(db: Database) -> bool:
    """Remove the rows of the oldest seal, if all of them are too old. Whether there was one."""

    async def body(tx: Connection) -> bool:
        row = await tx.one("oldest_audit_seal_to_purge", KEPT_MICROS)
        if row is None:
            return False
        seal = Seal(*row)
        await tx.run("purge_audit", seal.up_to_at, seal.up_to_id)
        await tx.run("purge_audit_seals", seal.number)
        await record(tx, THE_SERVER, chore_done("purge_audit", entries=seal.entries))
        return True

    return await db.write(body)


async def blank_addresses(db: Database) -> bool:
    """Remove the addresses of one seal's rows. Whether there was one to look at."""

    async def body(tx: Connection) -> bool:
        row = await tx.one("audit_seal_to_blank", ADDRESS_KEPT_MICROS)
        if row is None:
            return False
        number, at, id_, after_at, after_id = row
        blanked = len(await tx.all("blank_audit_addresses", after_at, after_id, at, id_))
        await tx.run("mark_audit_blanked", number)
        if blanked:
            await record(tx, THE_SERVER, chore_done("blank_addresses", entries=blanked))
        return True

    return await db.write(body)


class _Sealing:
    """The hash of a seal, as its rows come."""

    def __init__(self, before: Seal | None) -> None:
        self._hash = hashlib.sha256((before.hash if before else "").encode())
        self.entries = 0

    def add(self, rows: Iterable[AuditRow]) -> None:
        for row in rows:
            sealed = [getattr(row, name) for name in AuditRow.__struct_fields__ if name != "address"]
            self._hash.update(encode(sealed) + b"\n")
            self.entries += 1

    @property
    def hash(self) -> str:
        return self._hash.hexdigest()


async def _computed(db: Database, before: Seal | None, seal: Seal) -> _Sealing:
    sealing, place = _Sealing(before), before.place if before else _BEGINNING
    while True:
        rows = await _read_between(db, place, seal.place)
        sealing.add(rows)
        if len(rows) < ROWS_AT_ONCE:
            return sealing
        place = rows[-1].place


def _fits(seal: Seal, before: Seal | None, computed: _Sealing, purged_before: int) -> bool:
    if before is None and not computed.entries and seal.up_to_at < purged_before:
        return True  # Its rows were purged. What comes behind it begins with its hash.
    return computed.hash == seal.hash and (before is not None or seal.number == 1)


async def _read_between(db: Database, after: AuditPlace, up_to: AuditPlace) -> list[AuditRow]:
    return await db.read(
        lambda tx: _rows(tx, "audit_between", *_columns(after), *_columns(up_to), ROWS_AT_ONCE)
    )


async def _seals_after(db: Database, number: int) -> list[Seal]:
    rows = await db.read(lambda tx: tx.all("audit_seals_after", number, SEALS_AT_ONCE))
    return [Seal(*row) for row in rows]


async def _rows(tx: Connection, query: str, *arguments: object) -> list[AuditRow]:
    rows: Iterable[Row] = await tx.all(query, *arguments)
    return [audit_row_of(row) for row in rows]


def _columns(place: AuditPlace) -> tuple[int, str]:
    return place.at, place.id
