"""What was refused is written down: ten times in a minute for each caller, and then it is counted."""

import pytest

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.api.serving.audited.refusals import (
    MINUTE_SECONDS,
    ROWS_PER_MINUTE,
    Refusals,
    open_refusals,
    refused_entry,
)
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy, AuditOutcome, Via
from chatd.domain.people.deeds import Deed
from chatd.errors import Unavailable
from chatd.storage.reads.audit import AuditFilter, AuditRow, read_audit
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.support.watched_database import WatchedDatabase

REFUSED = AuditFilter(outcome=AuditOutcome.REFUSED)


async def told(store: Store) -> list[AuditRow]:
    return await read_audit(store.db, REFUSED, settled_micros=-1)


async def test_who_may_not_is_written_down_ten_times_a_minute_and_then_counted(
    store: Store, owner: UserId, admin: Client
) -> None:
    now = 0.0
    refusals = Refusals(store.db, lambda: now)
    app = build(store, refusals=refusals)
    asking = Client(app, await create_token(store.db, owner, "test"))
    reading = Client(app, await create_token(store.db, owner, "none", scopes=frozenset()))

    for _ in range(9):
        assert (await asking.get("/api/v1/users")).status == 403
    assert (await reading.get(f"{CHATS}/some-chat")).status == 403
    for _ in range(5):
        assert (await asking.delete("/api/v1/users/1")).status == 403
    await refusals.flush()
    rows = await told(store)
    assert len(rows) == 10
    assert {(row.actor_id, row.deed, row.target_kind, row.target_id, row.changes) for row in rows} == {
        (
            owner,
            "people.read",
            "route",
            "/api/v1/users",
            '{"code":"not_permitted","route":"/api/v1/users"}',
        ),
        (
            owner,
            "chat.read",
            "chat",
            "some-chat",
            '{"code":"scope_missing","route":"/api/v1/chats/{chat_id}"}',
        ),
    }

    now = 60.0
    await refusals.flush()
    await refusals.flush()
    (counted,) = [row for row in await told(store) if row not in rows]
    assert (counted.actor_id, counted.deed, counted.changes) == (owner, "people.change", '{"count":5}')


async def test_a_chat_that_is_hidden_from_a_stranger_leaves_no_row(
    store: Store, client: Client, stranger: Client
) -> None:
    """It would take longer than for a chat that does not exist, and tell it by that."""
    chat = await client.start_chat()

    assert (await stranger.get(f"{CHATS}/{chat['id']}")).status == 404
    assert await told(store) == []


async def test_a_stream_that_is_refused_is_written_down(store: Store, owner: UserId) -> None:
    app = build(store)
    token = await create_token(store.db, owner, "none", scopes=frozenset())

    answer = await Client(app, token).get(f"{CHATS}/watch")

    assert answer.status == 403
    assert [(row.deed, row.target_id) for row in await told(store)] == [("chat.list", "/api/v1/chats/watch")]


class Crowd:
    """Many callers who are refused more than is written down of each."""

    def __init__(self, store: Store, **limits: int) -> None:
        self.now = 0.0
        self.db = WatchedDatabase(store.db)
        self.refusals = Refusals(self.db, lambda: self.now, servers=lambda: ROWS_PER_MINUTE, **limits)

    async def asks(self, name: str, times: int = 3) -> None:
        """The first one has a row of its own."""
        entry = refused_entry(Deed.PEOPLE_READ, "/api/v1/users", None, "not_permitted")
        by = AskedBy(via=Via.TOKEN, actor_id=UserId(name))
        for _ in range(times):
            await self.refusals.note(by, entry)


async def counts(store: Store) -> dict[str | None, str]:
    return {row.actor_id: row.changes for row in await told(store) if "count" in row.changes}


async def test_no_request_writes_down_what_was_counted_of_others(store: Store) -> None:
    crowd = Crowd(store)
    for number in range(20):
        await crowd.asks(f"user {number}")
    crowd.now, written = MINUTE_SECONDS, crowd.db.writes

    await crowd.asks("user 0", times=1)
    assert crowd.db.writes == written + 1

    await crowd.refusals.flush()
    assert crowd.db.writes == written + 2
    assert await counts(store) == {f"user {number}": '{"count":2}' for number in range(20)}


async def test_counts_wait_for_a_database_that_is_away(store: Store) -> None:
    crowd = Crowd(store)
    await crowd.asks("anna")
    crowd.now, crowd.db.is_away = MINUTE_SECONDS, True
    with pytest.raises(Unavailable):
        await crowd.refusals.flush()

    crowd.db.is_away = False
    await crowd.refusals.flush()
    await crowd.refusals.flush()

    assert await counts(store) == {"anna": '{"count":2}'}


async def test_a_server_that_stops_writes_down_what_it_has_counted(store: Store, clock: MovedClock) -> None:
    async with open_refusals(store.db, clock, servers=lambda: ROWS_PER_MINUTE) as refusals:
        entry = refused_entry(Deed.PEOPLE_READ, "/api/v1/users", None, "not_permitted")
        for _ in range(3):
            await refusals.note(AskedBy(via=Via.TOKEN, actor_id=UserId("anna")), entry)
        assert await counts(store) == {}

    assert await counts(store) == {"anna": '{"count":2}'}


async def test_of_more_callers_than_can_be_remembered_none_is_lost(store: Store) -> None:
    crowd = Crowd(store, actors_max=3, counts_max=2)
    for number in range(6):
        await crowd.asks(f"user {number}")

    await crowd.refusals.close()

    assert await counts(store) == {
        "user 0": '{"count":2}',
        "user 1": '{"count":2}',
        # The others are not told apart.
        None: '{"count":8,"callers":4}',
    }
