"""What is written down of deeds: in the deed's own transaction, or not at all."""

import pytest

from chatd.accounts.users import create_user, user_named
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, AuditEntry, TargetKind, Via
from chatd.domain.people.roles import UserRole
from chatd.errors import NotAllowed
from chatd.storage.database import Connection, Database
from chatd.storage.reads.audit import read_audit
from chatd.storage.tables.audit import record
from tests.clock import MovedClock

BY = AskedBy(
    via=Via.TOKEN, actor_id=UserId("anna"), token_id="of anna", address="192.0.2.1", request_id="request"
)
ENTRY = AuditEntry(deed=AuditDeed.USER_CREATED, target_kind=TargetKind.USER, target_id="berta")


async def test_a_row_tells_who_did_what_and_is_gone_with_its_deed(
    database: Database, clock: MovedClock
) -> None:
    async def undone(tx: Connection) -> None:
        await record(tx, BY, ENTRY)
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(undone)
    user = await create_user(database, "Berta", UserRole.MEMBER, by=BY)
    with pytest.raises(NotAllowed):
        await create_user(database, "berta", UserRole.MEMBER, by=BY)
    await clock.advance(11)

    (row,) = await read_audit(database)
    assert (row.actor_id, row.via, row.token_id, row.address, row.request_id) == (
        "anna",
        "token",
        "of anna",
        "192.0.2.1",
        "request",
    )
    assert (row.deed, row.target_kind, row.target_id, row.outcome) == (
        "user.create",
        "user",
        user.id,
        "done",
    )
    assert row.changes == '{"name":"Berta","role":"member"}'


async def test_without_its_row_a_deed_does_not_happen(database: Database) -> None:
    await database.write(lambda tx: tx.script("ALTER TABLE audit RENAME TO gone;"))
    try:
        with pytest.raises(Exception, match="audit"):
            await create_user(database, "berta", UserRole.MEMBER, by=BY)
    finally:
        await database.write(lambda tx: tx.script("ALTER TABLE gone RENAME TO audit;"))

    assert await user_named(database, "berta") is None
