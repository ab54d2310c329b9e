"""What was refused is written down: ten times in a minute for each caller, and then it is counted."""

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.api.serving.audited.refusals import Refusals
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AuditOutcome
from chatd.storage.reads.audit import AuditFilter, AuditRow, read_audit
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client

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
