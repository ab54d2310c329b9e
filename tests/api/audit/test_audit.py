"""Reading the audit: who may, page by page, as a file."""

import csv
import io
import json

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, AuditEntry, TargetKind, Via
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.storage.database import Connection
from chatd.storage.queries import SqlEngine
from chatd.storage.tables.audit import record
from chatd.storage.tables.audit_seals import seal_audit
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.clock import MovedClock
from tests.traceability import proves

AUDIT = "/api/v1/audit"
ANNA = AskedBy(via=Via.TOKEN, actor_id=UserId("anna"))


async def note(store: Store, *targets: str, name: str = "") -> None:
    for target in targets:
        entry = AuditEntry(
            deed=AuditDeed.GROUP_CREATED,
            target_kind=TargetKind.GROUP,
            target_id=target,
            changes={"name": name} if name else {},
        )
        await store.db.write(lambda tx, entry=entry: record(tx, ANNA, entry))  # type: ignore[misc]


@pytest.fixture
async def auditor(app: ASGIApp, store: Store) -> Client:
    user = await create_user(store.db, "olaf", UserRole.AUDITOR)
    return Client(
        app, await create_token(store.db, user.id, "test", scopes=frozenset({TokenScope.AUDIT_READ}))
    )


async def test_auditors_read_it_and_members_do_not(
    store: Store, auditor: Client, client: Client, admin: Client, clock: MovedClock
) -> None:
    made = await admin.post("/api/v1/users", {"name": "Berta", "role": "viewer", "invite": False})
    await clock.advance(11)

    page = (await auditor.get(AUDIT, target=made.json["id"])).json
    (entry,) = page["entries"]
    assert entry["actor"]["name"] == "root"
    assert entry["target_name"] == "Berta"
    assert (entry["deed"], entry["target_kind"], entry["outcome"]) == ("user.create", "user", "done")
    assert entry["changes"] == {"name": "Berta", "role": "viewer"}
    assert page["next"] is None
    for path in (AUDIT, f"{AUDIT}/export", f"{AUDIT}/verify"):
        assert (await client.get(path)).status == 403
        assert (await auditor.get(path)).status == 200


async def test_it_is_filtered_and_paged_in_both_directions(
    store: Store, auditor: Client, clock: MovedClock
) -> None:
    for target in "abcde":
        await note(store, target)
        await clock.advance(1)
    await clock.advance(10)

    async def walk(order: str) -> list[str]:
        seen, cursor = [], None
        for _ in range(4):
            query = {"order": order, "limit": 2, "deed": "group.create", "actor": "anna"}
            page = (await auditor.get(AUDIT, **query, **({"cursor": cursor} if cursor else {}))).json
            seen += [entry["target_id"] for entry in page["entries"]]
            cursor = page["next"]
            if cursor is None:
                break
        return seen

    assert await walk("newest") == list("edcba")
    assert await walk("oldest") == list("abcde")
    (one,) = (await auditor.get(AUDIT, target="c")).json["entries"]
    since = (await auditor.get(AUDIT, since=one["at"], deed="group.create")).json["entries"]
    until = (await auditor.get(AUDIT, until=one["at"], deed="group.create")).json["entries"]
    assert [entry["target_id"] for entry in (*since, *until)] == list("edcba")
    assert (await auditor.get(AUDIT, outcome="refused")).json["entries"] == []
    for wrong in ({"cursor": "x"}, {"since": "yesterday"}, {"order": "any"}, {"actor": "\0"}):
        assert (await auditor.get(AUDIT, **wrong)).status == 400


@proves("people", 63)
async def test_a_row_that_is_committed_late_is_neither_missed_nor_doubled(
    store: Store, auditor: Client, clock: MovedClock
) -> None:
    """Written first, committed last: whoever reads meanwhile must come by it later."""
    if store.db.engine is SqlEngine.SQLITE:
        pytest.skip("One transaction writes at a time: none commits late.")
    seen: list[str] = []
    cursor: str | None = None

    async def follow() -> None:
        nonlocal cursor
        query = {"order": "oldest", "deed": "group.create", **({"cursor": cursor} if cursor else {})}
        page = (await auditor.get(AUDIT, **query)).json
        seen.extend(entry["target_id"] for entry in page["entries"])
        cursor = page["next"]

    async def late(tx: Connection) -> None:
        entry = AuditEntry(deed=AuditDeed.GROUP_CREATED, target_kind=TargetKind.GROUP, target_id="late")
        await record(tx, ANNA, entry)
        # Sends what was held back: the row has its time now.
        await tx.one("now")
        await clock.advance(1)
        await note(store, "early")
        await follow()
        await clock.advance(8)
        await follow()

    await store.db.write(late)
    await follow()
    assert seen == []
    await clock.advance(3)
    await follow()
    await follow()

    assert seen == ["late", "early"]


async def test_a_file_has_all_of_it_and_no_formula(store: Store, auditor: Client, clock: MovedClock) -> None:
    for name in ("=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "a\u202eb\x07c", 'say "hi", you'):
        await note(store, name, name=name)
        await clock.advance(1)
    await clock.advance(10)

    lines = (await auditor.get(f"{AUDIT}/export", deed="group.create")).body.decode().splitlines()
    told = [json.loads(line) for line in lines]
    assert [entry["target_id"] for entry in told][:2] == ["=HYPERLINK(1)", "+1"]
    assert "\u202e" not in "".join(lines)
    file = await auditor.get(f"{AUDIT}/export", format="csv", deed="group.create")
    assert file.headers["content-type"].startswith("text/csv")
    header, *rows = csv.reader(io.StringIO(file.body.decode(), newline=""))
    targets = [row[header.index("target_id")] for row in rows]
    assert targets == ["'=HYPERLINK(1)", "'+1", "'-1", "'@x", "'x", "ab c", 'say "hi", you']
    await clock.advance(11)
    exports = (await auditor.get(AUDIT, deed="audit.export")).json["entries"]
    assert [entry["changes"]["format"] for entry in exports] == ["csv", "ndjson"]


async def test_who_has_changed_it_is_told(store: Store, auditor: Client, clock: MovedClock) -> None:
    await note(store, "a", "b")
    await clock.advance(3600)
    await seal_audit(store.db)

    verified = (await auditor.get(f"{AUDIT}/verify")).json
    assert (verified["intact"], verified["broken"], verified["seals"]) == (True, [], 1)
    assert len(verified["newest"]["hash"]) == 64
    await store.db.write(lambda tx: tx.script("UPDATE audit SET outcome = 'refused' WHERE target_id = 'a';"))
    verified = (await auditor.get(f"{AUDIT}/verify")).json
    assert (verified["intact"], verified["broken"]) == (False, [1])
